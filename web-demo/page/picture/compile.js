// A shader's tree as functions of JavaScript, one call for each invocation.
//
// An invocation is a generator. It stops before each statement that touches memory that others see, and at each
// operation that it does together with others, and says where it is: a list of places in the text, outer ones first,
// with the number of the turn behind that of a loop. Who has the least list is farthest behind.

import { parse } from "./parse.js";
import {
    BOOL, F32, I32, NOTHING, Types, U32, bitcast, conversion, literal, operation, zeroOf,
} from "./types.js";

const [BREAK, CONTINUE, RETURN] = ["break", "continue", "return"];

/** What invocations do together, by what is yielded for it. */
const TOGETHER = {
    workgroupBarrier: { kind: "barrier" },
    workgroupUniformLoad: { kind: "barrier" },
    subgroupAdd: { kind: "subgroup" },
    subgroupShuffleDown: { kind: "subgroup" },
};

const ATOMIC_ADD = (old, value, type) => operation("+", type).apply(old, value);

/** What atomic operations leave in place of what was there. */
const ATOMIC = {
    atomicAdd: ATOMIC_ADD,
    atomicExchange: (_, value) => value,
    atomicLoad: (old) => old,
    atomicStore: (_, value) => value,
};

/** What decides without its right side, if the left one is that. */
const DECIDED = { "&&": false, "||": true };

class Compiler {
    constructor(parts, overrides) {
        this.parts = parts;
        this.constants = new Map();
        this.types = new Types(parts, (node) => this.expression(node).get());
        this.functions = new Map();
        this.scopes = [];
        for (const { name, type, value } of parts.constants) {
            const made = Object.hasOwn(overrides, name)
                ? { type: this.types.of(type), get: () => overrides[name] }
                : this.expression(value);
            const fixed = made.get();
            this.constants.set(name, { type: made.type ?? this.types.of(type), get: () => fixed });
        }
        this.globals = new Map(parts.variables.map(({ name, space, type }) => {
            return [name, { name, space, type: this.types.of(type) }];
        }));
    }

    /** A function of the shader: its parameters' places, and what runs it in a frame. */
    function(name) {
        if (!this.functions.has(name)) {
            const { parameters, returns, body } = this.parts.functions[name];
            const made = { type: returns ? this.types.of(returns) : NOTHING };
            this.functions.set(name, made);
            const outer = [this.scopes, this.slots, this.before, this.touches];
            [this.scopes, this.slots] = [[new Map()], 0];
            parameters.forEach((parameter) => this.declare(parameter.name, this.types.of(parameter.type)));
            made.block = this.block(body);
            [this.scopes, this.slots, this.before, this.touches] = outer;
        }
        return this.functions.get(name);
    }

    declare(name, type) {
        const slot = this.slots;
        this.slots += 1;
        this.scopes.at(-1).set(name, { slot, type });
        return slot;
    }

    find(name) {
        return this.scopes.findLast((scope) => scope.has(name))?.get(name);
    }

    block(nodes) {
        this.scopes.push(new Map());
        const statements = nodes.map((node) => this.statement(node)).filter(Boolean);
        this.scopes.pop();
        if (statements.every(({ run }) => run)) {
            return { run: (frame) => runAll(statements, frame) };
        }
        return { go: (frame) => goThrough(statements, frame) };
    }

    statement(node) {
        switch (node.kind) {
            case "if": return this.conditional(node);
            case "loop": return this.loop(node);
            default: return this.simple(node);
        }
    }

    /** Something that is evaluated at once, after what it has to call, and alone if others see what it touches. */
    whole(node, make) {
        const outer = [this.before, this.touches];
        [this.before, this.touches] = [[], false];
        const apply = make();
        const [before, touches] = [this.before, this.touches];
        [this.before, this.touches] = outer;
        if (before.length === 0 && !touches) {
            return { run: apply };
        }
        const { at, end } = node;
        return {
            go: function* go(frame) {
                for (const call of before) {
                    yield* call(frame);
                }
                if (touches) {
                    yield { kind: "memory", place: [...frame.place, end], at };
                }
                return apply(frame);
            },
        };
    }

    simple(node) {
        return this.whole(node, () => {
            switch (node.kind) {
                case "declare": return this.declaration(node);
                case "assign": return this.assignment(node);
                case "return": return this.returning(node);
                case "call": return this.effect(node.value);
                default: return () => node.kind;
            }
        });
    }

    declaration({ name, type, value }) {
        const wanted = type && this.types.of(type);
        const made = value ? this.expression(value, wanted) : { type: wanted, get: () => zeroOf(wanted) };
        const slot = this.declare(name, wanted ?? made.type ?? I32);
        return (frame) => { frame.values[slot] = made.get(frame); };
    }

    assignment({ target, sign, value }) {
        const place = this.reference(target);
        const made = this.expression(value, place.type);
        if (!sign) {
            return (frame) => { place.set(frame, made.get(frame)); };
        }
        const { apply } = operation(sign, place.type);
        return (frame) => { place.set(frame, apply(place.get(frame), made.get(frame))); };
    }

    returning({ value }) {
        const made = value && this.expression(value);
        return (frame) => {
            frame.result = made?.get(frame);
            return RETURN;
        };
    }

    effect(node) {
        const { get } = this.expression(node);
        return (frame) => { get(frame); };
    }

    conditional({ condition, then, otherwise }) {
        let test;
        const head = this.whole(condition, () => {
            test = this.expression(condition);
            return test.get;
        });
        // What is known before the pipeline is made is decided then.
        if (test.isConstant) {
            return this.block(test.get() ? then : otherwise);
        }
        const [yes, no] = [this.block(then), this.block(otherwise)];
        if (head.run && yes.run && no.run) {
            return { run: (frame) => (head.run(frame) ? yes : no).run(frame) };
        }
        return {
            go: function* go(frame) {
                const is = head.run ? head.run(frame) : yield* head.go(frame);
                return yield* go1(is ? yes : no, frame);
            },
        };
    }

    loop({ at, first, condition, after, body }) {
        this.scopes.push(new Map());
        const [start, test, step] = [
            first && this.statement(first),
            condition && this.whole(condition, () => this.expression(condition).get),
            after && this.statement(after),
        ];
        const inside = this.block(body);
        this.scopes.pop();
        return {
            go: function* go(frame) {
                if (start) {
                    yield* go1(start, frame);
                }
                const { place } = frame;
                let signal;
                for (let turn = 0; signal !== BREAK && signal !== RETURN; turn += 1) {
                    frame.place = [...place, at, turn];
                    if (test && !(yield* go1(test, frame))) {
                        break;
                    }
                    signal = yield* go1(inside, frame);
                    if (step && signal !== BREAK && signal !== RETURN) {
                        yield* go1(step, frame);
                    }
                }
                frame.place = place;
                return signal === RETURN ? RETURN : undefined;
            },
        };
    }

    expression(node, wanted) {
        switch (node.kind) {
            case "number": return this.number(node, wanted);
            case "binary": return this.binary(node, wanted);
            case "unary": return this.unary(node, wanted);
            case "call": return this.call(node);
            default: return this.reference(node);
        }
    }

    number({ text }, wanted) {
        const { type, value } = literal(text);
        return { type: type ?? wanted, get: () => value, isConstant: true };
    }

    /** The right side may touch memory; it may not do what goes before its statement, which it may not get to. */
    decided({ sign, left, right }) {
        const a = this.expression(left, BOOL);
        const outer = this.before;
        this.before = [];
        const b = this.expression(right, BOOL);
        if (this.before.length > 0) {
            throw new TypeError(`a call on the right of ${sign} is not understood`);
        }
        this.before = outer;
        const get = (frame) => (a.get(frame) === DECIDED[sign] ? DECIDED[sign] : b.get(frame));
        return { type: BOOL, get, isConstant: a.isConstant && b.isConstant };
    }

    binary(node, wanted) {
        const { sign, left, right } = node;
        if (Object.hasOwn(DECIDED, sign)) {
            return this.decided(node);
        }
        const first = this.expression(left, wanted);
        const b = this.expression(right, first.type);
        // A number without a type takes that of the other side.
        const a = left.kind === "number" ? this.expression(left, b.type) : first;
        if (a.type && b.type && a.type.kind !== b.type.kind && !["<<", ">>"].includes(sign)) {
            throw new TypeError(`no ${sign} of ${a.type.kind} and ${b.type.kind}`);
        }
        const { type, apply } = operation(sign, a.type ?? b.type ?? wanted ?? I32);
        const get = (frame) => apply(a.get(frame), b.get(frame));
        return { type, get, isConstant: a.isConstant && b.isConstant };
    }

    unary({ sign, of }, wanted) {
        const made = this.expression(of, wanted);
        if (sign === "!") {
            return { type: BOOL, get: (frame) => !made.get(frame), isConstant: made.isConstant };
        }
        const fit = conversion(made.type ?? I32);
        const plain = { "-": (value) => -value, "~": (value) => ~value }[sign];
        if (!plain || !fit) {
            throw new TypeError(`no ${sign} of ${made.type?.kind ?? of.kind} here`);
        }
        return { type: made.type, get: (frame) => fit(plain(made.get(frame))), isConstant: made.isConstant };
    }

    /** What is named, or lies at an index, or is a member. */
    reference(node) {
        if (node.kind === "name") {
            return this.named(node);
        }
        if (node.kind === "index") {
            return this.indexed(node);
        }
        if (node.kind !== "member") {
            throw new TypeError(`nothing can be stored in a ${node.kind}`);
        }
        const { type, get } = this.reference(node.of);
        if (type.kind === "vector") {
            const component = ["x", "y", "z", "w"].slice(0, type.count).indexOf(node.name);
            if (component < 0) {
                throw new TypeError(`no component ${node.name}`);
            }
            return { type: type.of, get: (frame) => get(frame)[component] };
        }
        if (!type.members?.[node.name]) {
            throw new TypeError(`no member ${node.name}`);
        }
        return { type: type.members[node.name], get: (frame) => get(frame)[node.name] };
    }

    named({ name, at }) {
        const local = this.find(name);
        if (local) {
            const { slot, type } = local;
            return {
                type,
                get: (frame) => frame.values[slot],
                set: (frame, value) => { frame.values[slot] = value; },
            };
        }
        if (name === "true" || name === "false") {
            return { type: BOOL, get: () => name === "true", isConstant: true };
        }
        if (this.constants.has(name)) {
            return { ...this.constants.get(name), isConstant: true };
        }
        const variable = this.globals.get(name);
        if (!variable) {
            throw new TypeError(`nothing is called ${name}`);
        }
        if (variable.space === "uniform") {
            return { type: variable.type, get: ({ invocation }) => invocation.memory[name] };
        }
        return this.cell(variable, () => 0, variable.type, at);
    }

    indexed({ of, index, at }) {
        const variable = of.kind === "name" && !this.find(of.name) ? this.globals.get(of.name) : undefined;
        if (variable?.type.kind !== "array") {
            throw new TypeError(`${of.name ?? `a ${of.kind}`} is no array in memory`);
        }
        const made = this.expression(index, U32);
        return this.cell(variable, made.get, variable.type.of, at);
    }

    /** Something in memory, which notes who touches it. */
    cell({ name, space }, indexOf, type, site) {
        this.touches = true;
        const width = type.kind === "vector" ? type.count : 1;
        const note = ({ invocation }, kind, index) => invocation.note({ kind, space, name, index, width, site });
        const get = (frame) => {
            const index = indexOf(frame) * width;
            note(frame, "read", index);
            const values = frame.invocation.memory[name];
            return width === 1 ? values[index] : [...values.subarray(index, index + width)];
        };
        const set = (frame, value) => {
            const index = indexOf(frame);
            note(frame, "write", index);
            frame.invocation.memory[name][index] = value;
        };
        const change = (frame, next) => {
            const index = indexOf(frame);
            note(frame, "atomic", index);
            const values = frame.invocation.memory[name];
            const old = values[index];
            values[index] = next(old);
            return old;
        };
        return { type: type.kind === "atomic" ? type.of : type, get, set, change };
    }

    call(node) {
        const { name } = node.type;
        if (this.parts.functions[name]) {
            return this.called(node);
        }
        if (TOGETHER[name]) {
            return this.together(node);
        }
        if (name.startsWith("atomic")) {
            return this.atomic(node);
        }
        return this.builtin(node);
    }

    /** Something that is done before the statement that it is in; its result waits in a slot. */
    hoisted(node, type, makeArguments, go) {
        const slot = this.slots;
        this.slots += 1;
        const { at, end } = node;
        const outer = this.touches;
        this.touches = false;
        const given = makeArguments();
        const touches = this.touches;
        this.touches = outer;
        this.before.push(function* call(frame) {
            if (touches) {
                yield { kind: "memory", place: [...frame.place, at], at };
            }
            const values = given.map(({ get }) => get(frame));
            frame.values[slot] = yield* go(frame, values, { place: [...frame.place, end], at });
        });
        return { type, get: (frame) => frame.values[slot] };
    }

    called(node) {
        const { parameters } = this.parts.functions[node.type.name];
        const made = this.function(node.type.name);
        const given = () => node.given.map((each, index) => this.expression(each, this.types.of(parameters[index].type)));
        return this.hoisted(node, made.type, given, function* go(frame, values, { place }) {
            const inner = { invocation: frame.invocation, values, place };
            yield* go1(made.block, inner);
            return inner.result;
        });
    }

    together(node) {
        const { name } = node.type;
        const { kind } = TOGETHER[name];
        if (name === "workgroupUniformLoad") {
            // The value is read between two barriers, by everybody.
            const cell = this.reference(node.given[0].of);
            return this.hoisted(node, cell.type, () => [], function* go(frame, _, where) {
                yield { kind, name, ...where };
                yield { kind: "memory", ...where };
                const value = cell.get(frame);
                yield { kind, name, ...where };
                return value;
            });
        }
        let type = NOTHING;
        const given = () => {
            const made = node.given.map((each) => this.expression(each, U32));
            type = made[0]?.type ?? NOTHING;
            return made;
        };
        const made = this.hoisted(node, type, given, function* go(frame, values, where) {
            return yield { kind, name, type, values, ...where };
        });
        return { ...made, type };
    }

    atomic(node) {
        const { name } = node.type;
        const cell = this.reference(node.given[0].of);
        const values = node.given.slice(1).map((each) => this.expression(each, cell.type));
        if (name === "atomicCompareExchangeWeak") {
            const type = { kind: "structure", members: { old_value: cell.type, exchanged: BOOL } };
            const get = (frame) => {
                const [expected, next] = values.map((value) => value.get(frame));
                const old = cell.change(frame, (now) => (now === expected ? next : now));
                return { old_value: old, exchanged: old === expected };
            };
            return { type, get };
        }
        const change = ATOMIC[name];
        if (!change) {
            throw new TypeError(`${name} is not understood`);
        }
        const get = (frame) => {
            const value = values[0]?.get(frame);
            return cell.change(frame, (old) => change(old, value, cell.type));
        };
        return { type: cell.type, get };
    }

    builtin({ type: written, given }) {
        if (written.name === "bitcast") {
            const [of, to] = [this.expression(given[0]), this.types.of(written.of[0])];
            return { type: to, get: (frame) => bitcast(of.get(frame), of.type, to) };
        }
        if (["select", "min", "max"].includes(written.name)) {
            return this.chosen(written.name, given.map((each) => this.expression(each, U32)));
        }
        const type = this.types.of(written);
        const of = given.map((each) => this.expression(each, type));
        if (type.kind === "structure") {
            const names = Object.keys(type.members);
            return { type, get: (frame) => Object.fromEntries(names.map((name, index) => [name, of[index].get(frame)])) };
        }
        if (of.length === 0) {
            return { type, get: () => zeroOf(type) };
        }
        const count = type.kind === "vector" ? type.count : 1;
        if (of.length !== count) {
            throw new TypeError(`${written.name} of ${of.length} is not understood`);
        }
        if (type.kind === "vector") {
            return { type, get: (frame) => of.map(({ get }) => get(frame)) };
        }
        const fit = conversion(type);
        return { type, get: (frame) => fit(of[0].get(frame)), isConstant: of[0].isConstant };
    }

    chosen(name, [a, b, c]) {
        if (a.type.kind === "vector" || (c ?? { type: BOOL }).type !== BOOL) {
            throw new TypeError(`${name} of ${a.type.kind} by ${c?.type.kind} is not understood`);
        }
        const get = {
            select: (frame) => {
                // Both are evaluated, as everywhere.
                const [no, yes] = [a.get(frame), b.get(frame)];
                return c.get(frame) ? yes : no;
            },
            min: (frame) => Math.min(a.get(frame), b.get(frame)),
            max: (frame) => Math.max(a.get(frame), b.get(frame)),
        }[name];
        return { type: a.type, get };
    }
}

function* go1(block, frame) {
    return block.run ? block.run(frame) : yield* block.go(frame);
}

function runAll(statements, frame) {
    for (const { run } of statements) {
        const signal = run(frame);
        if (signal) {
            return signal;
        }
    }
    return undefined;
}

function* goThrough(statements, frame) {
    for (const statement of statements) {
        const signal = yield* go1(statement, frame);
        if (signal === BREAK || signal === CONTINUE || signal === RETURN) {
            return signal;
        }
    }
    return undefined;
}

/** The entry point that a level runs first: `reduce`, or the one with the widest loads. */
function entryOf(functions) {
    return functions.reduce ?? functions.reduce_4;
}

/** A shader with values for what is said when its pipeline is made. */
export function compile(text, overrides) {
    const parts = parse(text);
    const compiler = new Compiler(parts, overrides);
    const entry = entryOf(parts.functions);
    const { block } = compiler.function(entry.name);
    const inputs = entry.parameters.map(({ attributes }) => attributes.builtin[0].name);
    const [size] = entry.attributes.workgroup_size.map((node) => compiler.expression(node).get());
    /** Runs one invocation, which has builtins, memory and `note`. */
    function* invoke(invocation) {
        const values = inputs.map((name) => invocation.builtins[name]);
        yield* go1(block, { invocation, values, place: [] });
    }
    return { size, globals: [...compiler.globals.values()], constants: compiler.constants, invoke };
}
