import { decode } from 'fast-png';
import { type Colour, GIFEncoder, nearestColorIndex } from 'gifenc';
import type { Locator, Page } from 'playwright-core';

/** How many pictures show the pointer on its way. */
const STEPS = 4;
const STEP_MS = 60;
/** How many letters of a caption appear with each picture. */
const LETTERS = 14;

/** GIF has a table of so many colours for each picture. */
const COLOURS = 256;
/** The number of the colour that leaves a pixel as the picture before has it. */
const UNCHANGED = 0;
/** The next picture is drawn over this one. */
const KEEP = 1;

/** Draws a caption at the bottom of the page, and a pointer. Both are above everything and take no clicks. */
const OVERLAY = `(() => {
  const layer = document.createElement('div');
  Object.assign(layer.style, { position: 'fixed', inset: '0', zIndex: '2147483647', pointerEvents: 'none' });
  const caption = document.createElement('div');
  caption.id = 'movie-caption';
  Object.assign(caption.style, {
    position: 'absolute', left: '0', right: '0', bottom: '0', height: '72px', boxSizing: 'border-box', padding: '12px 20px',
    background: '#111827', color: '#f9fafb', font: '14px/24px ui-monospace, monospace', whiteSpace: 'pre',
  });
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.id = 'movie-pointer';
  svg.setAttribute('viewBox', '0 0 12 18');
  Object.assign(svg.style, { position: 'absolute', left: '0', top: '0', width: '18px', height: '27px' });
  const arrow = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  arrow.setAttribute('d', 'M1 1 L1 14 L4.2 11.2 L6.3 16.2 L8.4 15.3 L6.3 10.5 L10.5 10.2 Z');
  arrow.setAttribute('fill', '#000');
  arrow.setAttribute('stroke', '#fff');
  svg.append(arrow);
  layer.append(caption, svg);
  document.body.append(layer);
})()`;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

/** Pictures of a page, one after the other, with a caption and a pointer, as an animated GIF. */
export class Movie {
  readonly #page: Page;
  readonly #frames: Frame[] = [];
  #pointer: Point = { x: 600, y: 300 };

  constructor(page: Page) {
    this.#page = page;
  }

  async begin(): Promise<void> {
    await this.#page.evaluate(OVERLAY);
    await this.#draw(this.#pointer);
  }

  /** Shows what the page looks like now for a time. */
  async show(ms: number): Promise<void> {
    this.#frames.push({ png: await this.#page.screenshot(), ms });
  }

  /** Replaces the caption; `typed` lets it appear as if somebody wrote it. */
  async say(text: string, ms: number, { typed = false } = {}): Promise<void> {
    for (let length = LETTERS; typed && length < text.length; length += LETTERS) {
      await this.#write(text.slice(0, length));
      await this.show(STEP_MS);
    }
    await this.#write(text);
    await this.show(ms);
  }

  /** Moves the pointer to an element and clicks it. */
  async click(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (box === null) throw new Error('the element to click is not visible');
    const from = this.#pointer;
    const to = { x: box.x + Math.min(box.width / 2, 60), y: box.y + box.height / 2 };
    for (let step = 1; step <= STEPS; step += 1) {
      const part = step / STEPS;
      await this.#draw({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      await this.show(step === STEPS ? 400 : STEP_MS);
    }
    await target.click();
  }

  encode(): Uint8Array {
    const gif = GIFEncoder();
    let before: Uint32Array | undefined;
    for (const { png, ms } of this.#frames) {
      const picture = decode(png);
      const pixels = pixelsOf(picture);
      const { palette, indexes } = indexed(pixels, before);
      const { width, height } = picture;
      gif.writeFrame(indexes, width, height, {
        palette,
        delay: ms,
        dispose: KEEP,
        transparent: true,
        transparentIndex: UNCHANGED,
      });
      before = pixels;
    }
    gif.finish();
    return gif.bytes();
  }

  async #write(text: string): Promise<void> {
    await this.#page.evaluate(
      `document.getElementById('movie-caption').textContent = ${JSON.stringify(text)}`,
    );
  }

  async #draw(point: Point): Promise<void> {
    this.#pointer = point;
    await this.#page.evaluate(
      `document.getElementById('movie-pointer').style.transform = 'translate(${point.x}px, ${point.y}px)'`,
    );
  }
}

/** Each pixel as one number: red, green and blue. */
function pixelsOf({ data, channels }: { data: ArrayLike<number>; channels: number }): Uint32Array {
  return Uint32Array.from({ length: data.length / channels }, (_, pixel) => {
    const at = pixel * channels;
    return ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
  });
}

/**
 * The colours of what differs from the picture before, and for each pixel the number of its colour. The most frequent
 * colours of a page are kept exactly, so that its surfaces have no spots; the rest gets the nearest of them.
 */
function indexed(pixels: Uint32Array, before: Uint32Array | undefined) {
  const counts = new Map<number, number>();
  for (const [at, pixel] of pixels.entries()) {
    if (pixel !== before?.[at]) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, COLOURS - 1);
  const palette = [0, ...frequent.map(([pixel]) => pixel)].map(colourOf);
  const numbers = new Map(frequent.map(([pixel], n) => [pixel, n + 1]));
  const numberOf = (pixel: number) => {
    const known = numbers.get(pixel);
    if (known !== undefined) return known;
    const nearest = 1 + nearestColorIndex(palette.slice(1), colourOf(pixel));
    numbers.set(pixel, nearest);
    return nearest;
  };
  const indexes = Uint8Array.from(pixels, (pixel, at) =>
    pixel === before?.[at] ? UNCHANGED : numberOf(pixel),
  );
  return { palette, indexes };
}

function colourOf(pixel: number): Colour {
  return [pixel >> 16, (pixel >> 8) & 255, pixel & 255];
}
