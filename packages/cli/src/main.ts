import { runProgram } from './program.js';

const { stdin, stdout, stderr, env } = process;
// A reader that ends early (`tcol query … | head`) is not an error.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
process.exitCode = await runProgram(process.argv.slice(2), { stdin, stdout, stderr, env });
