import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Clock } from '../../kernel/clock.js';
import { platformCall } from '../../kernel/platform-call.js';
import { OrgInvite } from './invite.entity.js';

/** An invitation stays listed for this long, so that those who manage members see who was invited as what. */
const KEPT_MS = 30 * 86_400_000;

/** Those that let nobody in any more; `$1` is the latest day that is long over. */
const ENDED = 'created_at <= $1 AND (uses = max_uses OR expires_at <= $1)';

/** Invitations that are used up or expired, and were so for long. */
@Injectable()
export class EndedInvites {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Removes those that expired 30 days ago, and the used-up ones made before, with one audit event for each organization. */
  async removeOld(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    const found: { org_id: string }[] = await this.invites.query(
      `SELECT DISTINCT org_id FROM org_invites WHERE ${ENDED}`,
      [before],
    );
    let total = 0;
    for (const { org_id } of found) total += await this.removeOf(org_id, before);
    return total;
  }

  private removeOf(orgId: string, before: Date): Promise<number> {
    return this.invites.manager.transaction(async manager => {
      const [, count]: [unknown, number] = await manager.query(
        `DELETE FROM org_invites WHERE ${ENDED} AND org_id = $2`,
        [before, orgId],
      );
      const event = { type: 'orgs.invites.removed', target: { type: 'invite', id: 'ended' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), orgId, event);
      return count;
    });
  }
}
