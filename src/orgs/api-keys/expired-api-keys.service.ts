import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Clock } from '../../kernel/clock.js';
import { platformCall } from '../../kernel/platform-call.js';
import { OrgApiKey } from './org-api-key.entity.js';

/** A key stays listed as expired for this long, so that its managers see why calls with it are refused. */
const KEPT_MS = 30 * 86_400_000;

/** Keys of organizations and collections whose time is long over. */
@Injectable()
export class ExpiredApiKeys {
  constructor(
    @InjectRepository(OrgApiKey) private readonly keys: Repository<OrgApiKey>,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Removes keys that expired 30 days ago, with one audit event for each organization. Returns how many. */
  async removeOld(): Promise<number> {
    const old = LessThan(new Date(this.clock.now().getTime() - KEPT_MS));
    const found = await this.keys.find({ select: { orgId: true }, where: { expiresAt: old } });
    let total = 0;
    for (const orgId of new Set(found.map(key => key.orgId))) total += await this.removeOf(orgId, old);
    return total;
  }

  private removeOf(orgId: string, expiresAt: ReturnType<typeof LessThan<Date>>): Promise<number> {
    return this.keys.manager.transaction(async manager => {
      const count = (await manager.delete(OrgApiKey, { orgId, expiresAt })).affected ?? 0;
      const event = { type: 'orgs.apikeys.removed', target: { type: 'apikey', id: 'expired' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), orgId, event);
      return count;
    });
  }
}
