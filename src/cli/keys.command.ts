import { KeyRotation } from '../auth/keys/key-rotation.service.js';
import { SigningKeys } from '../auth/keys/signing-keys.service.js';
import { platformCall } from '../kernel/platform-call.js';
import { withApplication } from './application.js';
import { type Command, expectNone, print, UsageError } from './command.js';

export const keysCommand: Command = {
  name: 'keys',
  usage: 'list | rotate | remove <kid>',
  summary: 'the keys that sign JWTs (not API keys): list them, publish the next one, remove one at once',
  async run([action, ...rest]) {
    if (action === 'remove' && rest.length === 1) return remove(rest[0] as string);
    expectNone(rest);
    if (action === 'list') return list();
    if (action === 'rotate') return rotate();
    throw new UsageError('expects list, rotate or remove <kid> for signing keys, or create for an API key');
  },
};

async function list(): Promise<void> {
  const keys = await withApplication(app => app.get(SigningKeys).all());
  for (const { kid, algorithm, state, createdAt } of keys) {
    print(`${kid}  ${algorithm}  ${state.padEnd('rotated'.length)}  ${createdAt.toISOString()}`);
  }
}

async function rotate(): Promise<void> {
  const kid = await withApplication(app => app.get(KeyRotation).publishNext(platformCall('cli')));
  print(`published ${kid}; it signs in 10 minutes, when every verifier has it`);
}

async function remove(kid: string): Promise<void> {
  await withApplication(app => app.get(KeyRotation).remove(platformCall('cli'), kid));
  print(`removed ${kid}; what it signed is void`);
}
