/**
 * Maximum weight of all shapes and their texts together, in characters. When it is exceeded, all are dropped and built
 * again.
 */
const MAX_WEIGHT = 32 * 1024 * 1024;
/** Weight of a shape without its text. */
const SHAPE_WEIGHT = 200;

/**
 * The text of a shape, and the number of each of its placeholders in order. A parameter that is used again keeps its
 * number.
 */
export interface ShapeText {
  readonly text: string;
  readonly numbers: readonly number[];
}

/**
 * The part of a fragment that determines its text: the constant text and the shapes of its parts, without the values of
 * parameters. Fragments of the same shape share one object, so the text of a repeated statement is made once. A shape
 * is looked up step by step, from its constant text along the shapes of its parts.
 */
export class Shape {
  private text: ShapeText | undefined;
  private next: Map<Shape, Shape> | undefined;
  /** The last step that was looked up: most often the next lookup is the same. */
  private lastPart: Shape | undefined;
  private lastNext: Shape | undefined;

  constructor(readonly hasParams: boolean) {}

  /** The shape extended by one part. */
  with(part: Shape): Shape {
    if (this.lastPart === part) return this.lastNext as Shape;
    // biome-ignore lint/plugin/bounded-maps: weigh() counts its entries, and begins anew at MAX_WEIGHT
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
// biome-ignore lint/plugin/bounded-maps: at most MAX_WEIGHT
let others = new Map<string, Shape>();
let weight = 0;

/**
 * The shape of a template before its first part. JavaScript passes the same `strings` object each time a template is
 * evaluated.
 */
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
