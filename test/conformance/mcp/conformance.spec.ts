import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { conformanceTool } from './tool.mjs';

const missing = reasonThatToolIsMissing();

/** `npm run conformance:mcp` runs all scenarios. This shows that its fixture, service and tool start and agree. */
it.skipIf(missing !== undefined && process.env.REQUIRE_RUNTIMES !== '1')(
  'the MCP conformance tool passes a scenario against the fixture and one against the service',
  async () => {
    if (missing !== undefined) throw missing;
    execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'service'], { stdio: 'inherit' });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['test/conformance/mcp/run.mjs', '--sample'],
      { env: { ...process.env, NODE_OPTIONS: undefined }, timeout: 90_000 },
    );
    expect(stdout.match(/Passed: (\d+)\/\1, 0 failed/g)).toHaveLength(2);
  },
);

function reasonThatToolIsMissing(): unknown {
  try {
    conformanceTool();
    return undefined;
  } catch (reason) {
    return reason;
  }
}
