import { parseArgs } from 'node:util';
import { AuditLogs } from '../audit/audit-logs.service.js';
import { AuditVerification, type Verification } from '../audit/audit-verification.service.js';
import { withApplication } from './application.js';
import { type Command, print, UsageError } from './command.js';

export const auditCommand: Command = {
  name: 'audit',
  usage: 'verify [--org <slug>]',
  summary: 'verify the audit logs, or that of one organization, against their hash chains and checkpoints',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { org: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length !== 1 || positionals[0] !== 'verify') throw new UsageError('expects verify');
    const broken = await verify(values.org);
    if (broken > 0) throw new Error(`${broken} of the audit logs do not hold.`);
  },
};

/** Returns how many are broken. */
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
