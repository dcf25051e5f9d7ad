import { describe, expect, it } from 'vitest';
import { mcpClients } from './mcp-clients.js';

const URL_OF_MCP = 'https://data.example/v1/collections/7/mcp';
const clients = mcpClients(URL_OF_MCP, 'orders');

describe('the settings of MCP clients', () => {
  it.each(clients)('of $id name the endpoint, and a key only where one is wanted', client => {
    for (const text of [client.signingIn, client.withKey]) expect(text).toContain(URL_OF_MCP);
    expect(client.signingIn).not.toMatch(/key/i);
    expect(client.withKey).toContain('x-platform-api-key');
  });

  it.each(clients.filter(({ id }) => id !== 'claudeCode'))('of $id are JSON', ({ signingIn, withKey }) => {
    expect(() => [JSON.parse(signingIn), JSON.parse(withKey)]).not.toThrow();
  });
});
