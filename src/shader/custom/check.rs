//! Checks of an operator's text before any device sees it. What the text means is naga's to say, the
//! compiler of wgpu; this module asks it, and tells mistakes by their place in the user's text.

use crate::error::{Error, Result};
use crate::op::operator::Operator;
use crate::shader::custom::scan::{
    Declaration, declarations, find_excess, lines_and_characters, names,
};
use crate::shader::custom::shader::CustomShader;
use crate::shader::custom::sizes::find_large;
use crate::shader::deep_stack::with_deep_stack;
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Block, Expression, Function, Module, Scalar, Span, Statement, TypeInner, WithSpan};
use std::sync::Arc;

/// Whether the text has a `finish`, if it is an operator of these types.
pub(crate) fn check(operator: &Operator) -> Result<bool> {
    let text = operator.text.as_str();
    if let Some((at, message)) = find_excess(text).or_else(|| find_large(text)) {
        return Err(mistake(text, at, message.into()));
    }
    with_deep_stack(|| check_meaning(operator))
}

fn check_meaning(operator: &Operator) -> Result<bool> {
    let text = operator.text.as_str();
    let module = parse(text).map_err(|complaint| complaint.in_text(text))?;
    let declared = declarations(text);
    check_declarations(text, &declared)?;
    check_variables(text, &module)?;
    for (_, function) in module.functions.iter() {
        check_block(text, &function.body)?;
        check_expressions(text, function)?;
    }
    validate(&module).map_err(|complaint| complaint.in_text(text))?;
    check_names(&Arc::new(operator.clone()), &declared)?;
    let finishes = check_functions(operator, &module, &declared)?;
    check_whole(&Arc::new(Operator { finishes, ..operator.clone() }))?;
    Ok(finishes)
}

/// A mistake at byte `at` of the user's text.
fn mistake(text: &str, at: usize, message: String) -> Error {
    let (lines, characters) = lines_and_characters(text, at);
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    Error::CustomShader { line: number(lines), column: number(characters), message }
}

/// A mistake that is nowhere, as something that is missing.
fn lack(message: String) -> Error {
    Error::CustomShader { line: 0, column: 0, message }
}

/// What naga says, and where, in bytes.
struct Complaint {
    at: Option<usize>,
    message: String,
}

impl Complaint {
    fn in_text(self, text: &str) -> Error {
        match self.at {
            Some(at) => mistake(text, at, self.message),
            None => lack(self.message),
        }
    }
}

fn parse(text: &str) -> std::result::Result<Module, Complaint> {
    naga::front::wgsl::parse_str(text).map_err(|error| {
        let at = error.labels().find_map(|(span, _)| span.to_range());
        let reasons = std::iter::once(error.message()).chain(error.notes());
        let message = reasons.collect::<Vec<_>>().join("; ");
        Complaint { at: at.map(|range| range.start), message }
    })
}

/// Without any capability: a text that is valid is valid on every device.
fn validate(module: &Module) -> std::result::Result<ModuleInfo, Complaint> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(module).map_err(|error| explain(&error))
}

/// The innermost place, and the whole chain of reasons.
fn explain(error: &WithSpan<ValidationError>) -> Complaint {
    let ranges = error.spans().filter_map(|(span, _)| span.to_range());
    let innermost = ranges.min_by_key(ExactSizeIterator::len);
    let mut message = error.as_inner().to_string();
    let mut source = std::error::Error::source(error.as_inner());
    while let Some(reason) = source {
        message = format!("{message}: {reason}");
        source = reason.source();
    }
    Complaint { at: innermost.map(|range| range.start), message }
}

const NO_VARIABLES: &str = "a custom operator has no variables outside its functions";
const NO_OVERRIDES: &str = "a custom operator has no overrides; use const";

/// Nothing but functions, constants and types.
fn check_declarations(text: &str, declared: &[Declaration<'_>]) -> Result<()> {
    for Declaration { keyword, .. } in declared {
        let why = match keyword.text {
            "var" => NO_VARIABLES,
            "override" => NO_OVERRIDES,
            "enable" | "requires" | "diagnostic" => "a custom operator has no directives",
            _ => continue,
        };
        return Err(mistake(text, keyword.at, why.into()));
    }
    Ok(())
}

/// Refuses variables and overrides that naga has found, whatever the text looks like.
fn check_variables(text: &str, module: &Module) -> Result<()> {
    let variable = module.global_variables.iter().next();
    let variable = variable.map(|(handle, _)| module.global_variables.get_span(handle));
    let overriding = module.overrides.iter().next();
    let overriding = overriding.map(|(handle, _)| module.overrides.get_span(handle));
    let found = variable.map(|span| (span, NO_VARIABLES));
    match found.or(overriding.map(|span| (span, NO_OVERRIDES))) {
        Some((span, why)) => Err(mistake(text, start(span), why.into())),
        None => Ok(()),
    }
}

/// Functions compute, and nothing else: they reach no other invocation and no memory but their own.
fn check_block(text: &str, block: &Block) -> Result<()> {
    for (statement, span) in block.span_iter() {
        match statement {
            Statement::Block(inner) => check_block(text, inner)?,
            Statement::If { accept, reject, .. } => {
                check_block(text, accept)?;
                check_block(text, reject)?;
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    check_block(text, &case.body)?;
                }
            }
            Statement::Loop { body, continuing, .. } => {
                check_block(text, body)?;
                check_block(text, continuing)?;
            }
            Statement::Emit(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return { .. }
            | Statement::Store { .. }
            | Statement::Call { .. } => {}
            _ => {
                let message = "a custom operator only computes: it has no barriers, atomics, \
                               subgroup operations or discard";
                return Err(mistake(text, start(*span), message.into()));
            }
        }
    }
    Ok(())
}

fn check_expressions(text: &str, function: &Function) -> Result<()> {
    for (handle, expression) in function.expressions.iter() {
        if matches!(expression, Expression::Derivative { .. }) {
            let at = start(function.expressions.get_span(handle));
            return Err(mistake(text, at, "derivatives are for fragment shaders".into()));
        }
    }
    Ok(())
}

fn start(span: Span) -> usize {
    span.to_range().map_or(0, |range| range.start)
}

/// The functions that an operator has. Whether `finish` is among them.
fn check_functions(
    operator: &Operator,
    module: &Module,
    declared: &[Declaration<'_>],
) -> Result<bool> {
    let Operator { input, accumulator, result, text, .. } = operator;
    if let Some(entry) = module.entry_points.first() {
        let message = format!("`{}` is an entry point; a custom operator has none", entry.name);
        return Err(mistake(text, place_of(&entry.name, declared), message));
    }
    let (accumulator, result) = (accumulator.to_string(), result.to_string());
    let mut of_map = vec![input.element.number().name().to_owned(); 1 + usize::from(input.paired)];
    of_map.push("u32".to_owned());
    let wanted = [
        ("map", of_map, &accumulator, true),
        ("combine", vec![accumulator.clone(); 2], &accumulator, true),
        ("finish", vec![accumulator.clone()], &result, accumulator != result),
    ];
    let mut finishes = false;
    for (name, arguments, returned, needed) in wanted {
        let wanted = format!("fn {name}({}) -> {returned}", arguments.join(", "));
        let found = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some(name));
        match found {
            Some((_, function)) => {
                let found = signature(name, function, module);
                if found != wanted {
                    let message = format!("`{name}` must be `{wanted}`, and is `{found}`");
                    return Err(mistake(text, place_of(name, declared), message));
                }
                finishes |= name == "finish";
            }
            None if needed => return Err(lack(format!("there is no `{wanted}`"))),
            None => {}
        }
    }
    Ok(finishes)
}

/// Where a name is declared.
fn place_of(name: &str, declared: &[Declaration<'_>]) -> usize {
    declared.iter().find(|found| found.name.text == name).map_or(0, |found| found.name.at)
}

fn signature(name: &str, function: &Function, module: &Module) -> String {
    let arguments = function.arguments.iter().map(|argument| type_name(argument.ty, module));
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    match &function.result {
        Some(result) => format!("fn {name}({arguments}) -> {}", type_name(result.ty, module)),
        None => format!("fn {name}({arguments})"),
    }
}

/// The name of a scalar or a vector as WGSL has it; something else for what no operator takes.
fn type_name(ty: naga::Handle<naga::Type>, module: &Module) -> String {
    let Ok(ty) = module.types.get_handle(ty) else {
        return "?".into();
    };
    let scalar = |scalar: Scalar| match scalar {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::BOOL => "bool",
        _ => "?",
    };
    match (ty.inner.clone(), &ty.name) {
        (TypeInner::Scalar(of), _) => scalar(of).into(),
        (TypeInner::Vector { size, scalar: of }, _) => {
            format!("vec{}<{}>", size as u8, scalar(of))
        }
        (_, Some(name)) => name.clone(),
        (TypeInner::Matrix { .. }, None) => "a matrix".into(),
        (TypeInner::Array { .. }, None) => "an array".into(),
        (TypeInner::Pointer { .. }, None) => "a pointer".into(),
        _ => "?".into(),
    }
}

/// No name means something else in the library's part than it does there alone.
fn check_names(operator: &Arc<Operator>, declared: &[Declaration<'_>]) -> Result<()> {
    for shader in CustomShader::all(operator) {
        let library = shader.library_wgsl();
        let taken = names(&library);
        let is_taken = |name: &str| {
            let is_own = ["map", "combine", "finish"].contains(&name);
            let begins = name.starts_with("Fold") || name.to_lowercase().starts_with("fold_");
            !is_own && (begins || taken.contains(name))
        };
        let clash = declared.iter().find(|found| is_taken(found.name.text));
        if let Some(Declaration { name, .. }) = clash {
            let message = format!("the name `{}` is taken: the library's part uses it", name.text);
            return Err(mistake(&operator.text, name.at, message));
        }
    }
    Ok(())
}

/// The whole shaders, with the user's text in its place. Those around kernels that operations have, too, ask nothing
/// else of it, and naga sees them when they are needed.
fn check_whole(operator: &Arc<Operator>) -> Result<()> {
    let text = operator.text.as_str();
    for shader in CustomShader::all(operator).filter(|shader| !shader.shares_its_kernel()) {
        let library = shader.library_wgsl();
        let in_text = |complaint: Complaint| Complaint {
            at: complaint.at.and_then(|at| at.checked_sub(library.len())),
            ..complaint
        };
        let whole = library.clone() + text;
        let module = parse(&whole).map_err(|complaint| in_text(complaint).in_text(text))?;
        validate(&module).map_err(|complaint| in_text(complaint).in_text(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By what naga has found alone.
    #[test]
    fn variables_are_refused_whatever_the_text_looks_like() {
        for (text, expected) in [
            ("fn f() { var a = 1; }", None),
            ("const a = 1; alias b = u32;", None),
            ("fn f() {}\nvar<private> a: u32;", Some((2, NO_VARIABLES))),
            ("@group(0) @binding(0) var<storage> a: array<u32>;", Some((1, NO_VARIABLES))),
            ("//\roverride a: u32;", Some((2, NO_OVERRIDES))),
        ] {
            let module = parse(text).map_err(|complaint| complaint.message).unwrap();
            let found = check_variables(text, &module).err().map(|error| match error {
                Error::CustomShader { line, message, .. } => (line, message),
                error => panic!("{error}"),
            });
            let expected = expected.map(|(line, why)| (line, why.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
