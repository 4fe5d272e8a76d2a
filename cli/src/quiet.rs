//! Silence of libraries that complain where nothing is wrong.

/// Starts the program anew, in the same process, with a folder for sockets that is not there, where the environment
/// names none, as in containers and under cron. Mesa's Vulkan layer looks for a Wayland display before anything else, and the Wayland
/// library then prints a line for each adapter. The environment of a running program cannot be changed without `unsafe`.
#[cfg(unix)]
pub(crate) fn start_with_runtime_folder() {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    let is_named = |variable| {
        std::env::var_os(variable).is_some_and(|value| value.as_encoded_bytes().starts_with(b"/"))
    };
    if ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"].into_iter().any(is_named) {
        return;
    }
    let mut arguments = std::env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
    let mut command = Command::new(program);
    // It comes back only where that is not possible, and then the lines are all there is to it.
    let error = command.arg0(name).args(arguments).env("XDG_RUNTIME_DIR", "/nonexistent").exec();
    log::debug!("not started with a runtime folder: {error}");
}

/// Elsewhere nothing complains.
#[cfg(not(unix))]
pub(crate) fn start_with_runtime_folder() {}
