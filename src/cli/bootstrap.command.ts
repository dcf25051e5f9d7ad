import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Bootstrap } from '../app.bootstrap.js';
import { Settings } from '../config/settings.js';
import { withApplication } from './application.js';
import { type Command, print, UsageError } from './command.js';

export const bootstrapCommand: Command = {
  name: 'bootstrap',
  usage: '--org <slug> --email <address>',
  summary: 'create the first organization and its owner, while there is no organization',
  async run(args) {
    const options = { org: { type: 'string' }, email: { type: 'string' } } as const;
    const { org, email } = parseArgs({ args, options }).values;
    if (org === undefined || email === undefined) throw new UsageError('expects --org and --email');
    const { made, file } = await withApplication(async app => ({
      made: await app.get(Bootstrap).createFirst({ org, email }),
      file: app.get(Settings).BOOTSTRAP_FILE,
    }));
    print(`Created organization "${org}" and its owner ${email}.\n`);
    if (file !== undefined) {
      print(`Access token, API key and sign-in link are in ${resolve(file)}: take them and delete it.`);
      return;
    }
    print(`Access token  ${made.accessToken}\nOrg API key   ${made.orgApiKey}`);
    print(
      '              Shown only once. Both belong to the owner and give full access to the organization.\n',
    );
    print(`Sign in with a browser, once, within a few minutes:\n\n${made.signInUrl}`);
  },
};
