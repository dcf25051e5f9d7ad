/** Shapes and texts are kept until they weigh so much together, in characters; then all are forgotten and made anew. */
const MAX_WEIGHT = 32 * 1024 * 1024;
/** What a shape weighs without its text. */
const SHAPE_WEIGHT = 200;

/** The text of a shape, and the number of each of its placeholders in their order: one that is used again keeps its number. */
export interface ShapeText {
  readonly text: string;
  readonly numbers: readonly number[];
}

/**
 * What of a fragment decides its text: the constant text and the shapes of its parts, but no value of a parameter. Fragments
 * of one shape share one object, so the text of a statement that is sent again and again is made once. A shape is found step
 * by step from its constant text, along the shapes of its parts.
 */
export class Shape {
  private text: ShapeText | undefined;
  private next: Map<Shape, Shape> | undefined;
  /** The step that was taken last: most often the next one is the same. */
  private lastPart: Shape | undefined;
  private lastNext: Shape | undefined;

  constructor(readonly hasParams: boolean) {}

  /** The shape with one more part. */
  with(part: Shape): Shape {
    if (this.lastPart === part) return this.lastNext as Shape;
    this.next ??= new Map();
    let next = this.next.get(part);
    if (next === undefined) {
      next = made(new Shape(this.hasParams || part.hasParams));
      this.next.set(part, next);
    }
    this.lastPart = part;
    this.lastNext = next;
    return next;
  }

  get knownText(): ShapeText | undefined {
    return this.text;
  }

  keepText(text: ShapeText): void {
    this.text = text;
    weigh(text.text.length);
  }
}

let templates = new WeakMap<readonly string[], Shape>();
let others = new Map<string, Shape>();
let weight = 0;

/** The shape of a template before its first part. The strings of a template are the same object each time it is evaluated. */
export function shapeOfTemplate(strings: readonly string[]): Shape {
  let shape = templates.get(strings);
  if (shape === undefined) {
    shape = made(new Shape(false));
    templates.set(strings, shape);
  }
  return shape;
}

/** The shape of a list before its first part, of a leaf of constant text, or of a placeholder of a type. */
export function shapeOf(kind: 'list' | 'leaf' | 'placeholder', text: string): Shape {
  const key = `${kind} ${text}`;
  let shape = others.get(key);
  if (shape === undefined) {
    shape = made(new Shape(kind === 'placeholder'));
    others.set(key, shape);
  }
  return shape;
}

function made(shape: Shape): Shape {
  weigh(SHAPE_WEIGHT);
  return shape;
}

function weigh(more: number): void {
  weight += more;
  if (weight <= MAX_WEIGHT) return;
  templates = new WeakMap();
  others = new Map();
  weight = 0;
}
