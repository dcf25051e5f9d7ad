/** What a program needs to connect over MCP, as it is pasted. */
export interface McpClient {
  readonly id: 'claudeCode' | 'claudeDesktop' | 'cursor' | 'vsCode' | 'other';
  /** The name of the program. Undefined for any other program. */
  readonly name?: string;
  /** With a sign-in in the browser. */
  readonly signingIn: string;
  /** With a key of the collection in the environment variable `COLLECTIONS_KEY`, or as the program asks for it. */
  readonly withKey: string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);

/** Settings of the usual programs for the endpoint of one collection. `server` is the name of the connection. */
export function mcpClients(url: string, server: string): readonly McpClient[] {
  const key = '$COLLECTIONS_KEY';
  const header = (value: string) => ({ 'x-platform-api-key': value });
  const bridge = (...more: string[]) => ({ command: 'npx', args: ['-y', 'mcp-remote', url, ...more] });
  const add = `claude mcp add --transport http ${server} ${url}`;
  return [
    {
      id: 'claudeCode',
      name: 'Claude Code',
      signingIn: add,
      withKey: `${add} --header "x-platform-api-key: ${key}"`,
    },
    {
      id: 'claudeDesktop',
      name: 'Claude Desktop',
      signingIn: json({ mcpServers: { [server]: bridge() } }),
      withKey: json({
        mcpServers: {
          [server]: {
            ...bridge('--header', `x-platform-api-key:\${COLLECTIONS_KEY}`),
            env: { COLLECTIONS_KEY: 'iak_…' },
          },
        },
      }),
    },
    {
      id: 'cursor',
      name: 'Cursor',
      signingIn: json({ mcpServers: { [server]: { url } } }),
      withKey: json({ mcpServers: { [server]: { url, headers: header(`\${env:COLLECTIONS_KEY}`) } } }),
    },
    {
      id: 'vsCode',
      name: 'VS Code',
      signingIn: json({ servers: { [server]: { type: 'http', url } } }),
      withKey: json({
        inputs: [{ type: 'promptString', id: 'key', description: 'API key', password: true }],
        servers: { [server]: { type: 'http', url, headers: header(`\${input:key}`) } },
      }),
    },
    {
      id: 'other',
      signingIn: json({ url, transport: 'streamable-http' }),
      withKey: json({ url, transport: 'streamable-http', headers: header('iak_…') }),
    },
  ];
}
