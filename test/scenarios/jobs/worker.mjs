// Runs one job in an instance of the built service, in a separate process that a test can kill.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';

const built = path => import(new URL(`../../../dist/src/${path}`, import.meta.url).href);
const [{ AppModule }, { loadSettings }, { Schedule }] = await Promise.all(
  ['app/app.module.js', 'platform/config/load-settings.js', 'app/jobs/schedule.js'].map(built),
);
const app = await NestFactory.createApplicationContext(AppModule.with(loadSettings(process.env)), {
  logger: false,
});
await app.get(Schedule, { strict: false })[process.argv[2]]();
await app.close();
