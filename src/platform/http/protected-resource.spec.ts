import { describe, expect, it } from 'vitest';
import { isResourcePath, resourceDocument, resourcePathOf } from './protected-resource.js';

const collection = '/v1/collections/0192f0c1-2f5e-7b3a-9c4d-5e6f7a8b9c0d';

describe('the protected resource of a request', () => {
  it.each([
    ['/v1/mcp', '/v1/mcp'],
    [`${collection}/mcp`, `${collection}/mcp`],
    [`${collection}/data`, '/v1'],
    ['/v1/collections', '/v1'],
    ['/v1/collections/x/mcp', '/v1'],
    ['/v1', '/v1'],
    ['/v10/mcp', ''],
    ['/v1/mcp/', '/v1'],
    ['/v2/me', ''],
    ['/', ''],
  ])('at %s is named "%s"', (path, resource) => {
    expect(resourcePathOf(path)).toBe(resource);
    expect(isResourcePath(resource)).toBe(true);
  });

  it.each(['/', '/v2', '/v1/', '/v1/mcp/', collection, '/v1/collections/x/mcp', `${collection}/mcp/x`])(
    'does not exist for the path %s',
    path => {
      expect(isResourcePath(path)).toBe(false);
    },
  );

  it('has its metadata below the well-known part, which comes before its path', () => {
    expect(resourceDocument('https://api.example.com', '/v1/mcp')).toBe(
      'https://api.example.com/.well-known/oauth-protected-resource/v1/mcp',
    );
  });
});
