import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { lockAccessed } from '../collections/locked-collection.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import type { ChartsView, SaveChartsBody, SavedChartsView } from './charts.dto.js';

/** How a collection is drawn: opaque objects that consoles understand. */
@Injectable()
export class Charts {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  get({ collection }: Access): ChartsView {
    return { collection_id: collection.id, charts: collection.charts };
  }

  /** Replaces all charts. The event tells how many there are: their content may be large, and is no metadata. */
  async save(call: Call, access: Access, { charts }: SaveChartsBody): Promise<SavedChartsView> {
    const { id } = access.collection;
    await this.source.transaction(async manager => {
      const before = await lockAccessed(manager, access);
      const updatedAt = this.clock.now();
      await manager.update(Collection, { id }, { charts, version: before.version + 1, updatedAt });
      await this.audit.record(manager, call, before.orgId, {
        type: 'collections.charts.saved',
        target: { type: 'collection', id, name: before.name },
        changes: { before: { charts: before.charts.length }, after: { charts: charts.length } },
      });
    });
    return { saved: true, collection_id: id, charts };
  }
}
