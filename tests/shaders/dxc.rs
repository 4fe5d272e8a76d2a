//! Microsoft's DXC, loaded from where `cargo xtask test` puts it: one of two files of the tree beside the library with `unsafe`.

#![expect(unsafe_code, reason = "a library in another language is loaded and called")]

use crate::programs;
use crate::translate::{Checked, Hlsl};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::ptr;

/// The library, which stays where it is until the program ends.
pub(crate) struct Dxc(ManuallyDrop<Library>);

/// What `DxcCreateInstance` and `Compile` name classes and interfaces by.
#[repr(C)]
struct Guid(u32, u16, u16, [u8; 8]);

const COMPILER: Guid =
    Guid(0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]);
const COMPILER_3: Guid =
    Guid(0x228b_4687, 0x5a6a, 0x4730, [0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54]);
const RESULT: Guid =
    Guid(0x5834_6cda, 0xdde7, 0x4497, [0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59]);

/// `DxcBuffer`.
#[repr(C)]
struct Buffer {
    bytes: *const u8,
    len: usize,
    encoding: u32,
}

const UTF_8: u32 = 65001;

/// On Linux nothing signs what is compiled, and no flag keeps this from being said.
const UNSIGNED: &str = "warning: DXIL.dll not found.";

type Code = i32;
type Create = unsafe extern "C" fn(&Guid, &Guid, &mut *mut c_void) -> Code;
type Compile = unsafe extern "C" fn(
    *mut c_void,
    &Buffer,
    *const *const i32,
    u32,
    *mut c_void,
    &Guid,
    &mut *mut c_void,
) -> Code;
type Release = unsafe extern "C" fn(*mut c_void) -> u32;
type GetObject = unsafe extern "C" fn(*mut c_void, &mut *mut c_void) -> Code;
type GetPointer = unsafe extern "C" fn(*mut c_void) -> *const u8;
type GetSize = unsafe extern "C" fn(*mut c_void) -> usize;

/// Places in tables of functions. Every interface begins with `QueryInterface`, `AddRef` and `Release`, and before version 1.7.2212
/// two destructors follow, except on Windows.
const RELEASE: usize = 2;
const FIRST: usize = 5;
/// `IDxcCompiler3::Compile`, `IDxcBlob::GetBufferPointer`, and so on.
const COMPILE: usize = FIRST;
const GET_RESULT: usize = FIRST + 1;
const GET_ERRORS: usize = FIRST + 2;
const GET_POINTER: usize = FIRST;
const GET_SIZE: usize = FIRST + 1;

/// An object of the library's, released when it goes.
struct Object(*mut c_void);

impl Object {
    /// None of a null pointer. `object` is none, or is owned and has a table of functions.
    fn new(code: Code, object: *mut c_void) -> Option<Self> {
        (code >= 0 && !object.is_null()).then_some(Self(object))
    }

    /// The function at a place of its table.
    ///
    /// # Safety
    ///
    /// The object's interface has a function of the type `F` there.
    unsafe fn function<F: Copy>(&self, place: usize) -> F {
        // SAFETY: an object begins with the address of its table, whose entries are addresses of functions.
        unsafe {
            let table = *self.0.cast::<*const *const c_void>();
            ptr::from_ref(&*table.add(place)).cast::<F>().read()
        }
    }

    /// The bytes of a blob.
    ///
    /// # Safety
    ///
    /// The object is an `IDxcBlob`.
    unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the places are those of `IDxcBlob`, and its bytes live as long as it does.
        unsafe {
            let pointer = self.function::<GetPointer>(GET_POINTER)(self.0);
            let size = self.function::<GetSize>(GET_SIZE)(self.0);
            if size == 0 { &[] } else { std::slice::from_raw_parts(pointer, size) }
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: every interface has `Release` there, and nobody uses the object any more.
        unsafe { self.function::<Release>(RELEASE)(self.0) };
    }
}

/// The library, if it has been got.
pub(crate) fn load() -> Checked<Option<Dxc>> {
    let path = programs::got("libdxcompiler.so");
    if !cfg!(target_os = "linux") || !path.exists() {
        return Ok(None);
    }
    // SAFETY: `xtask` has compared the file with the checksum of the one whose tables these are.
    let library = unsafe { Library::new(path) };
    let dxc = Dxc(ManuallyDrop::new(library.map_err(|error| error.to_string())?));
    // What it makes once for all threads is not made by several at once.
    let nothing = "[numthreads(1, 1, 1)] void nothing() {}".into();
    compile(&dxc, &Hlsl { text: nothing, entry_point: "nothing".into() }, MODELS[0])?;
    Ok(Some(dxc))
}

/// Ends the program without the library's own end, which may wait for a lock that nobody gives back.
#[cfg(unix)]
pub(crate) fn leave(code: i32) -> ! {
    unsafe extern "C" {
        fn _exit(code: i32) -> !;
    }
    // What cannot be written cannot be told either.
    drop(std::io::stdout().flush());
    // SAFETY: no thread of this program has anything to finish.
    unsafe { _exit(code) }
}

#[cfg(not(unix))]
pub(crate) fn leave(code: i32) -> ! {
    drop(std::io::stdout().flush());
    std::process::exit(code)
}

/// Ends with a zero; `wchar_t` has four bytes here.
fn wide(text: &str) -> Vec<i32> {
    text.chars().map(|letter| letter as i32).chain([0]).collect()
}

/// The shader models that texts are compiled for. wgpu takes the highest that a device has: the lowest is what it demands for DXC, and
/// today's devices have one from 6.6 on. naga writes the same text for all of them.
pub(crate) const MODELS: [&str; 2] = ["cs_6_0", "cs_6_6"];

/// Compiles a text for a shader model, as wgpu's DX12 backend has it done. wgpu takes no pipeline of which DXC says anything, so nor
/// does this.
pub(crate) fn compile(dxc: &Dxc, hlsl: &Hlsl, model: &str) -> Checked<()> {
    let words = ["-E", &hlsl.entry_point, "-T", model, "-HV", "2018", "-no-warnings", "-Ges"];
    let words = words.map(wide);
    let arguments = words.each_ref().map(Vec::as_ptr);
    let text = Buffer { bytes: hlsl.text.as_ptr(), len: hlsl.text.len(), encoding: UTF_8 };
    // SAFETY: functions, places and arguments are those of `dxcapi.h`; text and words outlive the calls; each object is asked for
    // functions of the interface that was asked for.
    let (errors, code) = unsafe {
        let create: Symbol<'_, Create> =
            dxc.0.get(b"DxcCreateInstance\0").map_err(|error| error.to_string())?;
        let mut made = ptr::null_mut();
        let code = create(&COMPILER, &COMPILER_3, &mut made);
        let compiler = Object::new(code, made).ok_or("DXC: no compiler")?;
        let mut made = ptr::null_mut();
        let code = compiler.function::<Compile>(COMPILE)(
            compiler.0,
            &text,
            arguments.as_ptr(),
            8,
            ptr::null_mut(),
            &RESULT,
            &mut made,
        );
        let result = Object::new(code, made).ok_or("DXC: no result")?;
        let blob = |place| {
            let mut made = ptr::null_mut();
            let code = result.function::<GetObject>(place)(result.0, &mut made);
            Object::new(code, made).map(|blob| blob.bytes().to_vec()).unwrap_or_default()
        };
        (blob(GET_ERRORS), blob(GET_RESULT))
    };
    let errors = String::from_utf8_lossy(&errors);
    let said = errors.lines().filter(|line| !line.starts_with(UNSIGNED));
    let errors: String = said.flat_map(|line| [line, "\n"]).collect();
    let errors = errors.trim_end_matches(['\0', '\n']);
    if !errors.is_empty() {
        return Err(format!("DXC: {errors}"));
    }
    // The container of DXIL still has the magic number of DXBC.
    if code.starts_with(b"DXBC") { Ok(()) } else { Err("DXC: no code".into()) }
}
