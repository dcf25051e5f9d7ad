import { describe, expect, it } from 'vitest';
import { delimiterOf, encodingOf } from './text-file.js';

const latin = (text: string) => Buffer.from(text, 'latin1');

describe('the encoding of a file', () => {
  it.each([
    ['ASCII', Buffer.from('title\nEmma\n')],
    ['UTF-8', Buffer.from('title\nÉmile, 東京\n')],
    ['UTF-8 with a mark', Buffer.from('\ufefftitle\n')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is sent as it is', (_, head) => {
    expect(encodingOf(head, true)).toBeUndefined();
  });

  it('is UTF-8 although its beginning ends inside a character', () => {
    expect(encodingOf(Buffer.from('É').subarray(0, 1), false)).toBeUndefined();
  });

  it.each([
    ['windows-1252', latin('title,year\nÉmile,1762\n')],
    ['windows-1252', latin('name;city\nMüller;Köln\nJörg;Zürich\n')],
    ['windows-1252', latin('é')],
    ['utf-16le', Buffer.from('\ufefftitle\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufefftitle\n', 'utf16le').swap16()],
    ['utf-16le', Buffer.from('title\n', 'utf16le')],
    ['utf-16be', Buffer.from('title\n', 'utf16le').swap16()],
    // Привет,мир
    ['windows-1251', Buffer.from('cff0e8e2e5f22cece8f00aeaede8e3e00a', 'hex')],
    // 図書館の本の題名と著者の名前
    ['shift_jis', Buffer.from('907d8f918ad982cc967b82cc91e896bc82c6929893d282cc96bc914f0a', 'hex')],
  ])('%s is recognized', (encoding, head) => {
    expect(encodingOf(head, true)).toBe(encoding);
  });
});

describe('the delimiter of a file', () => {
  it.each([
    ['a,b;c,d\n1;2;3;4;5\n', ','],
    ['"Price, net, in EUR";title\n1;x\n', ';'],
    ['"two\nlines, a, b"\ttitle\n', '\t'],
    ['a', ','],
  ])('of %j is %j: what stands in quotes does not count', (sample, delimiter) => {
    expect(delimiterOf(sample)).toBe(delimiter);
  });
});
