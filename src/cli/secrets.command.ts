import { Reencryption } from '../auth/keys/reencryption.service.js';
import { platformCall } from '../kernel/platform-call.js';
import { withApplication } from './application.js';
import { type Command, print, UsageError } from './command.js';

export const secretsCommand: Command = {
  name: 'secrets',
  usage: 'reencrypt',
  summary:
    'encrypt every stored secret with the first of SECRETS_MASTER_KEYS, so that the others can be removed',
  async run([action, ...rest]) {
    if (action !== 'reencrypt' || rest.length > 0) throw new UsageError('expects reencrypt');
    const { count, name } = await withApplication(app =>
      app.get(Reencryption).reencrypt(platformCall('cli')),
    );
    print(`re-encrypted ${count} secrets; all are sealed by ${name} now`);
  },
};
