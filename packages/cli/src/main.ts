import { VERSION } from '@typed-collections/client';

process.stdout.write(`${VERSION}\n`);
