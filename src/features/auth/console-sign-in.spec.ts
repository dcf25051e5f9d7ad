import { describe, expect, it } from 'vitest';
import { consoleSignIn } from './console-sign-in.js';

const settings = {
  CONSOLE: 'on' as const,
  PUBLIC_URL: 'https://api.example.com',
  PLATFORM_ORIGINS: ['https://console.example.com'],
  WEB_SESSION_ALLOWED_REDIRECT_HOSTS: ['app.example.org'],
};
const nextOf = (next: string) =>
  new URL(consoleSignIn(settings, { next }) as string, settings.PUBLIC_URL).searchParams.get('next');

describe('the sign-in page of the console', () => {
  it('is not named with CONSOLE=off', () => {
    expect(consoleSignIn({ ...settings, CONSOLE: 'off' }, { next: '/docs' })).toBeUndefined();
  });

  it('gets the page to open afterwards as a path', () => {
    expect(consoleSignIn(settings, { next: '/oidc/interaction/a', again: true })).toBe(
      '/console/sign-in?next=%2Foidc%2Finteraction%2Fa&again=true',
    );
    expect(nextOf('https://api.example.com/docs?a=b#c')).toBe('/docs?a=b#c');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    'https://evil.example/',
    'https://console.example.com/',
    'https://app.example.org/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '',
  ])('gets no page of another origin: %j', next => {
    expect(nextOf(next)).toBeNull();
  });

  it('learns what failed', () => {
    expect(consoleSignIn(settings, { failed: 'link', error: 'Unauthorized' })).toBe(
      '/console/sign-in?failed=link&error=Unauthorized',
    );
  });
});
