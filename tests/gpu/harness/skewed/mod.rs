//! Shaders whose arithmetic is as far off as WGSL and Vulkan allow, so that software adapters show what hardware may do.
//!
//! - A quotient is off by up to 2.5 units of its last place, a root by 6; that of zero is anything. A power of e is off by `2 + |x|`, a logarithm by 2, near one by
//!   2^-22; the rest of what is allowed is the adapter's own. Beyond the divisors that the specifications name a quotient is anything.
//! - A product and a sum are rounded once or twice, where the product is an operand of the sum in one function. Functions of one operation are
//!   part of those that call them.
//! - Subnormal operands and results are zero.
//! - A comparison with NaN has any outcome, and the lesser of NaN and a number is either of them.
//! - An integer that a float does not have becomes either neighbour.
//!
//! WGSL allows more, which no device is known to do and the library's bounds rely on ([`Accuracy::error_bound`](wgpu_reduce::Accuracy::error_bound)):
//! sums keep their order here, sums and products round to nearest, and those of NaN and infinity stay as IEEE 754 has them. NVIDIA's compiler takes
//! sums of `f64` to be finite and leaves out tests of that, which shows on such a device alone; a rule of `shaders/README.md` keeps shaders from them.
//! Each choice is drawn from the operands and the place in the text, so that results are the same on every run.
//!
//! `arithmetic.wgsl` has the functions. Here each operation of a module becomes a call of one of them.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module, Range,
    ScalarKind, Span, Statement, TypeInner, VectorSize,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use wgpu::naga;

/// A function of `arithmetic.wgsl`, and how many operands it has beside the place.
type Helper = (&'static str, &'static [Form]);

/// Which operands are vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All are alike.
    Alike(usize),
    /// A vector and a number, or the other way round.
    Mixed([bool; 2]),
}

const MIXED: [Form; 2] = [Form::Mixed([true, false]), Form::Mixed([false, true])];

/// What operations become, but for comparisons, whose results are no floats.
const NUMBERS: [Helper; 12] = [
    ("add", &[Form::Alike(2)]),
    ("subtract", &[Form::Alike(2)]),
    ("multiply", &[Form::Alike(2), MIXED[0], MIXED[1]]),
    ("divide", &[Form::Alike(2)]),
    ("multiply_add", &[Form::Alike(3)]),
    ("multiply_subtract", &[Form::Alike(3)]),
    ("subtract_multiply", &[Form::Alike(3)]),
    ("min", &[Form::Alike(2)]),
    ("max", &[Form::Alike(2)]),
    ("clamp", &[Form::Alike(3)]),
    ("abs", &[Form::Alike(1)]),
    ("sqrt", &[Form::Alike(1)]),
];

/// What there is of `f32` alone.
const OF_F32: [Helper; 3] =
    [("exp", &[Form::Alike(1)]), ("log", &[Form::Alike(1)]), ("pow", &[Form::Alike(2)])];

const COMPARISONS: [&str; 6] =
    ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"];

/// The text's module, with arithmetic that is off.
pub(crate) fn skewed(text: &str, _entry_point: &str, _constants: &[(&'static str, u32)]) -> Module {
    // Functions that nobody calls would be compiled, too.
    let all = |_: &str| true;
    let (_, called) = rewritten(text, &all);
    let (module, _) = rewritten(text, &|name| called.contains(name));
    module
}

/// The module with the functions that are wanted of those for vectors, and the names of those that are called.
fn rewritten(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> (Module, HashSet<String>) {
    let mut helpers = helpers("f32", "u32", include_str!("f32.wgsl"), is_wanted);
    if computes_with_f64(text) {
        helpers += &self::helpers("f64", "u64", include_str!("f64.wgsl"), is_wanted);
    }
    let text = format!("{helpers}{text}");
    let mut module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
    open_operations(&mut module);
    let called = rewrite(&mut module);
    (module, called)
}

/// Whether a text has numbers of 64 bits, which not every device takes. A comment may name them in any.
fn computes_with_f64(text: &str) -> bool {
    let code = |line: &str| line.split("//").next().is_some_and(|code| code.contains("f64"));
    text.lines().any(code)
}

/// The functions for a type, and those that go through the components of vectors.
fn helpers(real: &str, bits: &str, of_type: &str, is_wanted: &dyn Fn(&str) -> bool) -> String {
    let mut text = of_type.to_owned() + include_str!("arithmetic.wgsl");
    let of_f32 = if real == "f32" { &OF_F32[..] } else { &[] };
    for size in 2..=4 {
        let all = NUMBERS.iter().chain(of_f32);
        let numbers = all.flat_map(|&(name, forms)| {
            forms.iter().map(move |&form| (name, form, format!("vec{size}<Real>")))
        });
        let comparisons =
            COMPARISONS.into_iter().map(|name| (name, Form::Alike(2), format!("vec{size}<bool>")));
        for (name, form, result) in numbers.chain(comparisons) {
            let whole = suffixed(name, form, Some(size));
            if is_wanted(&format!("skewed_{real}_{whole}")) {
                by_components(&mut text, name, form, size, &result);
            }
        }
    }
    text.replace("skewed_", &format!("skewed_{real}_")).replace("Real", real).replace("Bits", bits)
}

fn by_components(text: &mut String, name: &str, form: Form, size: usize, result: &str) {
    let are_vectors = match form {
        Form::Alike(count) => vec![true; count],
        Form::Mixed(are_vectors) => are_vectors.to_vec(),
    };
    let operand = |index: usize| char::from(b'a' + u8::try_from(index).expect("few"));
    let of_all = |say: &dyn Fn(usize, bool) -> String| {
        let each = are_vectors.iter().enumerate();
        each.map(|(index, &is_vector)| say(index, is_vector)).collect::<Vec<_>>().join(", ")
    };
    let declared = of_all(&|index, is_vector| {
        let ty = if is_vector { format!("vec{size}<Real>") } else { "Real".to_owned() };
        format!("{}: {ty}", operand(index))
    });
    let components = ["x", "y", "z", "w"][..size].iter().map(|component| {
        let given = of_all(&|index, is_vector| {
            let component = if is_vector { format!(".{component}") } else { String::new() };
            format!("{}{component}", operand(index))
        });
        format!("skewed_{name}({given}, site)")
    });
    let components = components.collect::<Vec<_>>().join(", ");
    let name = suffixed(name, form, Some(size));
    writeln!(text, "fn skewed_{name}({declared}, site: u32) -> {result} {{")
        .and_then(|()| writeln!(text, "    return {result}({components});\n}}"))
        .expect("a text has room");
}

/// The name of a function for vectors of so many components, or for numbers.
fn suffixed(name: &str, form: Form, size: Option<usize>) -> String {
    match (size, form) {
        (None, _) => name.to_owned(),
        (Some(size), Form::Alike(_)) => format!("{name}_{size}"),
        (Some(size), Form::Mixed([true, _])) => format!("{name}_{size}_by_number"),
        (Some(size), Form::Mixed([false, _])) => format!("{name}_number_by_{size}"),
    }
}

/// Makes operations of calls of functions that are one operation of their arguments.
fn open_operations(module: &mut Module) {
    let operation = |(handle, function): (_, &Function)| Some((handle, operation_of(function)?));
    let operations: HashMap<_, _> = module.functions.iter().filter_map(operation).collect();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function))
    {
        let mut body = std::mem::take(&mut function.body);
        open_calls(&mut body, &mut function.expressions, &operations);
        function.body = body;
    }
}

/// The operation that is all that a function does, and the numbers of its operands among the arguments.
fn operation_of(function: &Function) -> Option<(BinaryOperator, [usize; 2])> {
    let [Statement::Emit(_), Statement::Return { value: Some(value) }] = function.body[..] else {
        return None;
    };
    let argument = |operand: Handle<Expression>| match function.expressions[operand] {
        Expression::FunctionArgument(number) => usize::try_from(number).ok(),
        _ => None,
    };
    match function.expressions[value] {
        Expression::Binary { op, left, right } => Some((op, [argument(left)?, argument(right)?])),
        _ => None,
    }
}

fn open_calls(
    block: &mut Block,
    expressions: &mut naga::Arena<Expression>,
    operations: &HashMap<Handle<Function>, (BinaryOperator, [usize; 2])>,
) {
    for statement in block.iter_mut() {
        if let Statement::Call { function, arguments, result: Some(result) } = statement {
            if let Some(&(op, [left, right])) = operations.get(function) {
                let result = *result;
                let (left, right) = (arguments[left], arguments[right]);
                expressions[result] = Expression::Binary { op, left, right };
                *statement = Statement::Emit(Range::new_from_bounds(result, result));
            }
        }
        for inner in inner_blocks_mut(statement) {
            open_calls(inner, expressions, operations);
        }
    }
}

/// Makes calls of operations. The names of the functions that are called.
fn rewrite(module: &mut Module) -> HashSet<String> {
    let info = naga::valid::Validator::new(
        naga::valid::ValidationFlags::empty(),
        naga::valid::Capabilities::all(),
    )
    .validate(module)
    .expect("the text is valid");
    let named = |(handle, function): (_, &Function)| Some((function.name.clone()?, handle));
    let helpers: HashMap<_, _> = module.functions.iter().filter_map(named).collect();
    let types = module.types.clone();
    let mut called = HashSet::new();
    for (handle, function) in module.functions.iter_mut() {
        let is_helper = function.name.as_ref().is_some_and(|name| name.starts_with("skewed_"));
        if !is_helper {
            let rewriter = Rewriter { types: &types, info: &info[handle], helpers: &helpers };
            called.extend(rewriter.rewrite(function));
        }
    }
    for (index, entry_point) in module.entry_points.iter_mut().enumerate() {
        let info = info.get_entry_point(index);
        let rewriter = Rewriter { types: &types, info, helpers: &helpers };
        called.extend(rewriter.rewrite(&mut entry_point.function));
    }
    called
}

/// A call that takes the place of an expression.
struct Call {
    function: Handle<Function>,
    arguments: Vec<Handle<Expression>>,
}

type Calls = HashMap<Handle<Expression>, Call>;

/// Numbers as an operand has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    kind: ScalarKind,
    bytes: u8,
    /// The size of a vector.
    size: Option<usize>,
}

struct Rewriter<'a> {
    types: &'a naga::UniqueArena<naga::Type>,
    info: &'a naga::valid::FunctionInfo,
    helpers: &'a HashMap<String, Handle<Function>>,
}

impl Rewriter<'_> {
    fn rewrite(&self, function: &mut Function) -> HashSet<String> {
        let mut emitted = HashSet::new();
        note_emitted(&function.body, &mut emitted);
        let mut calls = Calls::new();
        let mut called = HashSet::new();
        let of_arena: Vec<_> = function.expressions.iter().map(|(handle, _)| handle).collect();
        for handle in of_arena.into_iter().filter(|handle| emitted.contains(handle)) {
            let Some((name, mut arguments)) = self.call(function, handle) else { continue };
            let site = u32::try_from(handle.index()).expect("few expressions");
            let site = Expression::Literal(Literal::U32(site));
            arguments.push(function.expressions.append(site, Span::UNDEFINED));
            calls.insert(handle, Call { function: self.helpers[&name], arguments });
            called.insert(name);
        }
        for (&handle, call) in &calls {
            function.expressions[handle] = Expression::CallResult(call.function);
        }
        let body = std::mem::take(&mut function.body);
        function.body = with_calls(body, &calls);
        called
    }

    fn numbers(&self, expression: Handle<Expression>) -> Option<Numbers> {
        let (scalar, size) = match *self.info[expression].ty.inner_with(self.types) {
            TypeInner::Scalar(scalar) => (scalar, None),
            TypeInner::Vector { size, scalar } => (scalar, Some(size)),
            _ => return None,
        };
        let size = size.map(|size| match size {
            VectorSize::Bi => 2,
            VectorSize::Tri => 3,
            VectorSize::Quad => 4,
        });
        Some(Numbers { kind: scalar.kind, bytes: scalar.width, size })
    }

    /// What function an expression becomes a call of, and of what.
    fn call(
        &self,
        function: &Function,
        handle: Handle<Expression>,
    ) -> Option<(String, Vec<Handle<Expression>>)> {
        match function.expressions[handle] {
            Expression::Binary { op, left, right } => {
                let is_remainder = op == BinaryOperator::Modulo;
                let is_of_floats =
                    || self.numbers(left).is_some_and(|of| of.kind == ScalarKind::Float);
                assert!(
                    !is_remainder || !is_of_floats(),
                    "remainders of floats are not known here"
                );
                self.fused(function, op, left, right)
                    .or_else(|| self.named(of_operator(op)?, vec![left, right]))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let arguments = [Some(arg), arg1, arg2].into_iter().flatten().collect();
                self.named(of_math(fun)?, arguments)
            }
            Expression::As { expr, kind: ScalarKind::Float, convert: Some(4) } => {
                let from = self.numbers(expr).filter(|from| from.bytes == 4)?;
                let name = match from.kind {
                    ScalarKind::Uint => "from_unsigned",
                    ScalarKind::Sint => "from_signed",
                    _ => return None,
                };
                assert_eq!(from.size, None, "vectors are not converted");
                Some((format!("skewed_f32_{name}"), vec![expr]))
            }
            _ => None,
        }
    }

    /// A sum one of whose sides is a product.
    fn fused(
        &self,
        function: &Function,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<(String, Vec<Handle<Expression>>)> {
        let factors = |side: Handle<Expression>| match function.expressions[side] {
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => {
                (self.numbers(left)?.size == self.numbers(right)?.size).then_some([left, right])
            }
            _ => None,
        };
        let (name, [a, b], c) = match (op, factors(left), factors(right)) {
            (BinaryOperator::Add, Some(factors), _) => ("multiply_add", factors, right),
            (BinaryOperator::Add, None, Some(factors)) => ("multiply_add", factors, left),
            (BinaryOperator::Subtract, Some(factors), _) => ("multiply_subtract", factors, right),
            (BinaryOperator::Subtract, None, Some(factors)) => ("subtract_multiply", factors, left),
            _ => return None,
        };
        self.named(name, vec![a, b, c])
    }

    /// The function for these operands, if they are floats.
    fn named(
        &self,
        name: &str,
        arguments: Vec<Handle<Expression>>,
    ) -> Option<(String, Vec<Handle<Expression>>)> {
        let numbers: Option<Vec<_>> = arguments.iter().map(|&each| self.numbers(each)).collect();
        let numbers = numbers?;
        if numbers[0].kind != ScalarKind::Float {
            return None;
        }
        let are_vectors: Vec<_> = numbers.iter().map(|each| each.size.is_some()).collect();
        let form = match are_vectors[..] {
            [true, false] => MIXED[0],
            [false, true] => MIXED[1],
            _ => Form::Alike(numbers.len()),
        };
        let size = numbers.iter().find_map(|each| each.size);
        let real = if numbers[0].bytes == 8 { "f64" } else { "f32" };
        Some((format!("skewed_{real}_{}", suffixed(name, form, size)), arguments))
    }
}

fn of_operator(op: BinaryOperator) -> Option<&'static str> {
    Some(match op {
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "subtract",
        BinaryOperator::Multiply => "multiply",
        BinaryOperator::Divide => "divide",
        BinaryOperator::Equal => "equal",
        BinaryOperator::NotEqual => "not_equal",
        BinaryOperator::Less => "less",
        BinaryOperator::LessEqual => "less_equal",
        BinaryOperator::Greater => "greater",
        BinaryOperator::GreaterEqual => "greater_equal",
        _ => return None,
    })
}

fn of_math(fun: MathFunction) -> Option<&'static str> {
    Some(match fun {
        MathFunction::Fma => "multiply_add",
        MathFunction::Min => "min",
        MathFunction::Max => "max",
        MathFunction::Clamp => "clamp",
        MathFunction::Abs => "abs",
        MathFunction::Sqrt => "sqrt",
        MathFunction::Exp => "exp",
        MathFunction::Log => "log",
        MathFunction::Pow => "pow",
        // These take integers alone.
        MathFunction::CountTrailingZeros
        | MathFunction::CountLeadingZeros
        | MathFunction::CountOneBits
        | MathFunction::ReverseBits
        | MathFunction::ExtractBits
        | MathFunction::InsertBits
        | MathFunction::FirstTrailingBit
        | MathFunction::FirstLeadingBit => return None,
        other => panic!("what {other:?} may be off by is not known here"),
    })
}

fn note_emitted(block: &Block, emitted: &mut HashSet<Handle<Expression>>) {
    for statement in block {
        if let Statement::Emit(range) = statement {
            emitted.extend(range.clone());
        }
        for inner in inner_blocks(statement) {
            note_emitted(inner, emitted);
        }
    }
}

fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

fn inner_blocks_mut(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// The statements, with calls where their expressions were evaluated.
fn with_calls(block: Block, calls: &Calls) -> Block {
    let mut rewritten = Block::new();
    for (mut statement, span) in block.span_into_iter() {
        let Statement::Emit(range) = statement else {
            for inner in inner_blocks_mut(&mut statement) {
                *inner = with_calls(std::mem::take(inner), calls);
            }
            rewritten.push(statement, span);
            continue;
        };
        let mut pending = Vec::new();
        for handle in range {
            let Some(Call { function, arguments }) = calls.get(&handle) else {
                pending.push(handle);
                continue;
            };
            emit(&mut rewritten, &mut pending, span);
            let (function, arguments) = (*function, arguments.clone());
            let call = Statement::Call { function, arguments, result: Some(handle) };
            rewritten.push(call, span);
        }
        emit(&mut rewritten, &mut pending, span);
    }
    rewritten
}

/// Evaluates expressions that follow each other.
fn emit(block: &mut Block, pending: &mut Vec<Handle<Expression>>, span: Span) {
    if let (Some(&first), Some(&last)) = (pending.first(), pending.last()) {
        block.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
    }
    pending.clear();
}
