import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isFromOurPages, isLedHereByOurPages } from './same-origin.js';

const settings = { PUBLIC_URL: 'https://api.example.com', PLATFORM_ORIGINS: ['https://console.example.com'] };

describe('a request with the cookie', () => {
  it.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://api.example.com' },
    { 'sec-fetch-site': 'same-site', origin: 'https://console.example.com' },
  ])('comes from our pages: %j', headers => {
    expect(isFromOurPages(headers, settings)).toBe(true);
  });

  it.each([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://api.example.com.evil.example' },
    { origin: 'http://api.example.com' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { referer: 'https://api.example.com/docs' },
  ])('may be forged: %j', headers => {
    expect(isFromOurPages(headers, settings)).toBe(false);
  });
});
const led = (headers: IncomingHttpHeaders) => isLedHereByOurPages(headers, settings);

describe('the page from which a browser came to the login', () => {
  it.each([
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-site', referer: 'https://console.example.com/' },
    { 'sec-fetch-site': 'cross-site', referer: 'https://api.example.com/docs' },
  ])('is a page of this platform, or the client is not a browser: %j', headers => {
    expect(led(headers)).toBe(true);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' },
    { 'sec-fetch-site': 'same-site', referer: 'https://console.example.com.evil.example/' },
    { 'sec-fetch-site': 'none', referer: 'api.example.com' },
  ])('is another site: %j', headers => {
    expect(led(headers)).toBe(false);
  });
});
