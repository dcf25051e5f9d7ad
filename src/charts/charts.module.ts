import { Body, Controller, Get, Injectable, Module, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { Accessed, CollectionParam } from '../collections/accessed.decorator.js';
import { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { lockAccessed } from '../collections/locked-collection.js';
import { Calling } from '../http/platform-request.js';
import { Requires } from '../http/requires.decorator.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { ChartsView, SaveChartsBody, SavedChartsView } from './charts.dto.js';

/** Stores chart definitions of collections. Only consoles interpret their content. */
@Injectable()
class Charts {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  get({ collection }: Access): ChartsView {
    return { collection_id: collection.id, charts: collection.charts };
  }

  /** Replaces all charts. The audit event has only their number, because their content may be large. */
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

@ApiTags('Collections')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/charts')
class ChartsController {
  constructor(private readonly charts: Charts) {}

  @Get()
  @Requires({ collection: 'read' })
  @ApiOperation({ summary: 'Read the charts of a collection' })
  @ApiOkResponse({ type: ChartsView })
  getCharts(@Accessed() access: Access) {
    return this.charts.get(access);
  }

  @Put()
  @Requires({ collection: 'write' })
  @ApiOperation({ summary: 'Replace the charts of a collection' })
  @ApiOkResponse({ type: SavedChartsView })
  saveCharts(@Calling() call: Call, @Accessed() access: Access, @Body() body: SaveChartsBody) {
    return this.charts.save(call, access, body);
  }
}

@Module({ imports: [CollectionsModule], controllers: [ChartsController], providers: [Charts] })
export class ChartsModule {}
