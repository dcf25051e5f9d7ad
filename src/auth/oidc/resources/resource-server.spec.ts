import { describe, expect, it } from 'vitest';
import { resourceServer } from './resource-server.js';

const publicUrl = 'https://api.example.com';
const collection = `${publicUrl}/v1/collections/0192f0c1-2f5e-7b3a-9c4d-5e6f7a8b9c0d/mcp`;
const of = (indicator: string, own = false) => resourceServer(indicator, { publicUrl, own });

describe('a resource indicator', () => {
  it.each([publicUrl, `${publicUrl}/`, `${publicUrl}/v1`])('%s stands for the whole platform', indicator => {
    expect(of(indicator)).toMatchObject({ audience: publicUrl, accessTokenFormat: 'jwt' });
  });

  it.each([`${publicUrl}/v1/mcp`, collection])('%s stands for itself', indicator => {
    expect(of(indicator).audience).toBe(indicator);
  });

  it.each([
    `${publicUrl}.evil.example`,
    `${publicUrl}@evil.example/v1/mcp`,
    `${publicUrl}/v1/mcp/`,
    `${publicUrl}/v1/mcp?x`,
    `${publicUrl}/v2`,
    `${publicUrl}/v1/collections/x/mcp`,
    'https://other.example.com/v1/mcp',
    'urn:x',
  ])('%s is refused', indicator => {
    expect(() => of(indicator)).toThrow('invalid_target');
  });

  it('offers the scope that covers everything to the platform’s own clients only', () => {
    expect(of(publicUrl, true).scope.split(' ')).toContain('platform');
    expect(of(publicUrl).scope.split(' ')).not.toContain('platform');
  });
});
