//! A composed text, and all that the tests know of it.

use crate::translate::Guards;
use naga::valid::Capabilities;

/// What a shader that uses subgroups needs.
pub(crate) const SUBGROUPS: Capabilities =
    Capabilities::SUBGROUP.union(Capabilities::SUBGROUP_BARRIER);

/// What a shader that computes with f64 needs.
pub(crate) const DOUBLES: Capabilities = Capabilities::FLOAT64.union(Capabilities::SHADER_INT64);

/// Constants of a pipeline.
pub(crate) type Constants = Vec<(&'static str, u32)>;

/// What a pipeline is made with, and what is expected of it.
pub(crate) struct Form {
    pub(crate) constants: Constants,
    pub(crate) workgroup_size: u32,
    /// Bindings of group 0, in order.
    pub(crate) bindings: Vec<u32>,
}

/// How a browser takes the text.
pub(crate) struct Browser {
    /// What stands in front of the text there.
    pub(crate) directives: &'static str,
    /// Whether a pipeline is made, too. Pipelines take long without a GPU, so they are for some of the shaders; what a
    /// browser demands of the text it tells of the text alone.
    pub(crate) with_pipeline: bool,
    /// Invocations of a workgroup, where the text's own number takes more memory than browsers have to give: plans
    /// give such operations smaller ones.
    pub(crate) workgroup_size: Option<u32>,
}

/// A text, with the forms in which pipelines are made of it.
pub(crate) struct Shader {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) entry_point: &'static str,
    pub(crate) capabilities: Capabilities,
    pub(crate) forms: Vec<Form>,
    /// Whether wgpu guards it, since not every word is the library's own.
    pub(crate) is_guarded: bool,
    /// Words that its MSL and its HLSL have if, and only if, it uses subgroups.
    pub(crate) subgroup_words: [&'static str; 2],
    /// Whether there is a barrier, where that is known and there are no subgroups.
    pub(crate) has_barrier: Option<bool>,
    /// None for a text that browsers' WGSL has no words for.
    pub(crate) browser: Option<Browser>,
}

/// A language that naga writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    SpirV,
    Msl,
    Hlsl,
    /// HLSL of shader model 5.1, the last that FXC reads.
    HlslForFxc,
    Glsl,
}

impl Shader {
    /// With the entry point `reduce`, for browsers without a pipeline unless it has numbers that WGSL lacks.
    pub(crate) fn new(name: String, text: String, capabilities: Capabilities) -> Self {
        let native = DOUBLES | Capabilities::SHADER_FLOAT32_ATOMIC;
        let has_subgroups = capabilities.contains(Capabilities::SUBGROUP);
        let browser = Browser {
            directives: if has_subgroups { "enable subgroups;\n" } else { "" },
            with_pipeline: false,
            workgroup_size: None,
        };
        Self {
            name,
            text,
            entry_point: "reduce",
            capabilities,
            forms: Vec::new(),
            is_guarded: false,
            subgroup_words: ["simd_", "Wave"],
            has_barrier: None,
            browser: (!capabilities.intersects(native)).then_some(browser),
        }
    }

    /// What a shader needs that may use subgroups, integers of 64 bits or f64.
    pub(crate) fn needs(subgroups: bool, native_u64: bool, f64: bool) -> Capabilities {
        let mut capabilities = Capabilities::empty();
        capabilities.set(SUBGROUPS, subgroups);
        capabilities.set(Capabilities::SHADER_INT64, native_u64 || f64);
        capabilities.set(Capabilities::FLOAT64, f64);
        capabilities
    }

    /// With one more form.
    pub(crate) fn with_form(mut self, constants: Constants, size: u32, bindings: &[u32]) -> Self {
        let mut bindings = bindings.to_vec();
        bindings.sort_unstable();
        self.forms.push(Form { constants, workgroup_size: size, bindings });
        self
    }

    pub(crate) fn with_pipeline(mut self, if_so: bool) -> Self {
        if let Some(browser) = &mut self.browser {
            browser.with_pipeline = if_so;
        }
        self
    }

    /// Sizes workgroups for an operation whose accumulators may be long.
    pub(crate) fn sized_for(mut self, operation: &wgpu_reduce::OpRecord) -> Self {
        if let Some(browser) = &mut self.browser {
            browser.workgroup_size = operation.name().ends_with("_exact").then_some(64);
        }
        self
    }

    /// What wgpu guards it with.
    pub(crate) fn guards(&self) -> Guards {
        if self.is_guarded { Guards::Checks } else { Guards::None }
    }

    pub(crate) fn uses_subgroups(&self) -> bool {
        self.capabilities.contains(Capabilities::SUBGROUP)
    }

    /// Whether naga writes it in that language, and devices of it have what the shader needs.
    pub(crate) fn is_written_in(&self, language: Language) -> bool {
        let not = |capabilities| !self.capabilities.intersects(capabilities);
        match language {
            Language::SpirV => true,
            Language::Msl => not(Capabilities::FLOAT64),
            Language::Hlsl => not(Capabilities::FLOAT64 | Capabilities::SHADER_FLOAT32_ATOMIC),
            Language::HlslForFxc => {
                self.is_written_in(Language::Hlsl) && not(SUBGROUPS | Capabilities::SHADER_INT64)
            }
            Language::Glsl => not(SUBGROUPS | DOUBLES),
        }
    }
}
