import { parseArgs } from 'node:util';
import { platformCall } from '../base/kernel/call.js';
import { KeyRotation } from '../features/auth/keys/key-rotation.service.js';
import { Reencryption } from '../features/auth/keys/master-keys.service.js';
import { SigningKeys } from '../features/auth/keys/signing-keys.service.js';
import { AuditLogs } from '../platform/audit/audit-logs.service.js';
import { AuditVerification, type Verification } from '../platform/audit/audit-verification.service.js';
import { withApplication } from './application.js';
import { expectNone, print, UsageError } from './command.js';

export async function manageSigningKeys([action, ...rest]: string[]): Promise<void> {
  if (action === 'remove' && rest.length === 1) return remove(rest[0] as string);
  expectNone(rest);
  if (action === 'list') return list();
  if (action === 'rotate') return rotate();
  throw new UsageError('expects list, rotate or remove <kid> for signing keys, or create for an API key');
}

async function list(): Promise<void> {
  const keys = await withApplication(app => app.get(SigningKeys).all());
  for (const { kid, algorithm, state, createdAt } of keys) {
    print(`${kid}  ${algorithm}  ${state.padEnd('rotated'.length)}  ${createdAt.toISOString()}`);
  }
}

async function rotate(): Promise<void> {
  const kid = await withApplication(app => app.get(KeyRotation).publishNext(platformCall('cli')));
  print(`published ${kid}; it starts to sign in 10 minutes, when all verifiers have fetched it`);
}

async function remove(kid: string): Promise<void> {
  await withApplication(app => app.get(KeyRotation).remove(platformCall('cli'), kid));
  print(`removed ${kid}; tokens that it signed are invalid now`);
}

export async function reencryptSecrets([action, ...rest]: string[]): Promise<void> {
  if (action !== 'reencrypt' || rest.length > 0) throw new UsageError('expects reencrypt');
  const { count, name } = await withApplication(app => app.get(Reencryption).reencrypt(platformCall('cli')));
  print(`re-encrypted ${count} secrets; all are encrypted with ${name} now`);
}

export async function verifyAuditLogs(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { org: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length !== 1 || positionals[0] !== 'verify') throw new UsageError('expects verify');
  const broken = await verify(values.org);
  if (broken > 0) throw new Error(`${broken} of the audit logs are broken.`);
}

/** Prints the result for each log. Returns how many are broken. */
function verify(slug: string | undefined): Promise<number> {
  return withApplication(async app => {
    const logs = await app.get(AuditLogs).all(slug);
    if (logs.length === 0) throw new Error(`There is no organization ${slug}.`);
    let broken = 0;
    for (const log of logs) {
      const verification = await app.get(AuditVerification).verify(log);
      if (verification.broken !== undefined) broken += 1;
      print(`${log.name}: ${outcome(verification)}`);
    }
    return broken;
  });
}

function outcome({ events, checkpoints, waiting, broken }: Verification): string {
  const counts = `${events} events and ${checkpoints} checkpoints verified, ${waiting} events not linked yet`;
  if (broken === undefined) return counts;
  const { what, seq, eventId } = broken;
  const where = [seq === undefined ? [] : `link ${seq}`, eventId === undefined ? [] : `event ${eventId}`];
  return `BROKEN at ${where.flat().join(', ')}: ${what}; up to there ${counts}`;
}
