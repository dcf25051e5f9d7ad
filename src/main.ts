import 'reflect-metadata';
import { startService } from './app/start.js';

await startService();
