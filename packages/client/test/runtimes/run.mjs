// Runs the exercise on the runtime that runs this file, and prints the result: run.mjs <url> <key> <redirecting>
import process from 'node:process';
import * as client from '../../dist/index.js';
import { exercise } from '../exercise.mjs';

const [url, key, redirecting] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await exercise(client, { url, key, redirecting })));
