// Compiles HLSL by Microsoft's FXC, as wgpu's DX12 backend does. `fxc.rs` runs this program under Wine.
//
// Input: for each text the name of its entry point, then the text. Output: for each text what FXC said against it, or nothing.
// Each of these is a string: its length in bytes, 32 bits with the lowest byte first, and the bytes.

#define COBJMACROS
#include <d3dcompiler.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// A string that ends with a zero, which `length` does not count; null at the end of the input.
static char *next(uint32_t *length) {
    if (fread(length, sizeof *length, 1, stdin) != 1) {
        return NULL;
    }
    char *bytes = malloc((size_t)*length + 1);
    if (bytes == NULL || fread(bytes, 1, *length, stdin) != *length) {
        exit(2);
    }
    bytes[*length] = 0;
    return bytes;
}

static void answer(const char *bytes, size_t length) {
    uint32_t written = (uint32_t)length;
    fwrite(&written, sizeof written, 1, stdout);
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
}

// wgpu ignores what FXC says of a text that it accepts, so warnings are no errors.
static void compile(pD3DCompile fxc, const char *text, size_t length, const char *entry_point) {
    ID3DBlob *code = NULL, *errors = NULL;
    HRESULT outcome = fxc(text, length, NULL, NULL, NULL, entry_point, "cs_5_1",
                          D3DCOMPILE_ENABLE_STRICTNESS, 0, &code, &errors);
    if (SUCCEEDED(outcome) && code != NULL) {
        answer("", 0);
    } else if (errors != NULL) {
        answer(ID3D10Blob_GetBufferPointer(errors), ID3D10Blob_GetBufferSize(errors));
    } else {
        char number[32];
        answer(number, (size_t)snprintf(number, sizeof number, "error %08lx", (unsigned long)outcome));
    }
    if (code != NULL) {
        ID3D10Blob_Release(code);
    }
    if (errors != NULL) {
        ID3D10Blob_Release(errors);
    }
}

int main(void) {
    // Beside this program, and not the one that is part of Wine: `fxc.rs` asks for that.
    HMODULE library = LoadLibraryA("d3dcompiler_47.dll");
    pD3DCompile fxc = library == NULL ? NULL : (pD3DCompile)(void *)GetProcAddress(library, "D3DCompile");
    if (fxc == NULL) {
        return 1;
    }
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    char *entry_point;
    uint32_t length;
    while ((entry_point = next(&length)) != NULL) {
        char *text = next(&length);
        if (text == NULL) {
            return 2;
        }
        compile(fxc, text, length, entry_point);
        free(text);
        free(entry_point);
    }
    return 0;
}
