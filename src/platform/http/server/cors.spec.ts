import { describe, expect, it } from 'vitest';
import { originRights } from './cors.js';

const rights = (wanted: object) =>
  originRights({ NODE_ENV: 'production', CORS_ORIGINS: undefined, PLATFORM_ORIGINS: [], ...wanted });
const LOCAL = 'http://localhost:5173';
const CONSOLE = 'https://console.example.com';

describe('in a browser, pages', () => {
  it('of other origins cannot call in production, unless a setting names them', () => {
    const right = rights({});
    expect([LOCAL, CONSOLE, 'null'].map(right)).toEqual(['none', 'none', 'none']);
    expect(rights({ CORS_ORIGINS: [LOCAL] })(LOCAL)).toBe('without-cookie');
  });

  it('of this machine can call outside production, unless a setting forbids it', () => {
    expect(rights({ NODE_ENV: 'development' })(LOCAL)).toBe('without-cookie');
    expect(rights({ NODE_ENV: 'development', CORS_ORIGINS: [] })(LOCAL)).toBe('none');
    expect(rights({ NODE_ENV: 'development', CORS_ORIGINS: [CONSOLE] })(LOCAL)).toBe('none');
  });

  it('of the platform can use the cookie; other origins that can call cannot', () => {
    const right = rights({ CORS_ORIGINS: ['*'], PLATFORM_ORIGINS: [CONSOLE] });
    expect([CONSOLE, LOCAL, 'null'].map(right)).toEqual(['with-cookie', 'without-cookie', 'without-cookie']);
  });
});
