import { writeFile } from 'node:fs/promises';
import { envExample } from '../config/env-example.js';
import { type Command, expectNone, print } from './command.js';

const FILE = '.env.example';

export const envExampleCommand: Command = {
  name: 'env-example',
  usage: '',
  summary: `write ${FILE} from the settings in the code`,
  async run(args) {
    expectNone(args);
    await writeFile(FILE, envExample());
    print(`wrote ${FILE}`);
  },
};
