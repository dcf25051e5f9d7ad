import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const CONSOLE = '../../../packages/console/src/';
const css = (path: string) => readFileSync(new URL(CONSOLE + path, import.meta.url), 'utf8');
const colours = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`, 'g'))].map(
    ([, light, dark]) => [light as string, dark as string],
  );

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe('the colours of series', () => {
  const series = colours(css('features/charts/draw/figure.module.css'), 'series-\\d');
  const [surface] = colours(css('ui/styles/tokens.css'), 'surface');

  it('are as many as the series that a chart draws', () => {
    expect(series).toHaveLength(8);
  });

  it.each([0, 1])('have a contrast of at least 3 to 1 against the surface (%i: light, dark)', mode => {
    for (const each of series) {
      expect(contrast(each[mode] as string, surface?.[mode] as string), each[mode]).toBeGreaterThanOrEqual(3);
    }
  });
});
