import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('tool/node_modules/', import.meta.url));
const TOOL = `${FOLDER}@modelcontextprotocol/conformance/dist/index.js`;
/** The Node.js that is installed with the tool, which needs a newer one than the service. */
const NODE = `${FOLDER}node-${process.platform}-${process.arch}/bin/node`;
const OLDEST = 22;

/** The Node.js and the file of the conformance tool. Throws when they are not installed. */
export function conformanceTool() {
  const node = existsSync(NODE) ? NODE : process.execPath;
  const isNewEnough = node === NODE || Number(process.versions.node.split('.')[0]) >= OLDEST;
  if (!existsSync(TOOL)) throw new Error('not installed: npm ci --prefix test/conformance/mcp/tool');
  if (!isNewEnough) throw new Error(`the conformance tool needs Node.js ${OLDEST}`);
  return [node, TOOL];
}
