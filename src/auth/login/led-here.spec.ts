import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLedHereByOurPages } from './led-here.js';

const settings = {
  PUBLIC_URL: 'https://api.example.com',
  PLATFORM_ORIGINS: ['https://console.example.com'],
};
const led = (headers: IncomingHttpHeaders) => isLedHereByOurPages(headers, settings);

describe('who led a browser to the login', () => {
  it.each([
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-site', referer: 'https://console.example.com/' },
    { 'sec-fetch-site': 'cross-site', referer: 'https://api.example.com/docs' },
  ])('is a page of ours, or no browser: %j', headers => {
    expect(led(headers)).toBe(true);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' },
    { 'sec-fetch-site': 'same-site', referer: 'https://console.example.com.evil.example/' },
    { 'sec-fetch-site': 'none', referer: 'api.example.com' },
  ])('is somebody else: %j', headers => {
    expect(led(headers)).toBe(false);
  });
});
