import { createHash } from 'node:crypto';
import { Controller, Get, Injectable, Module, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { isJsonObject, isStorable, JsonText } from '../../base/kernel/json.js';
import { MAX_RECORD_LEVELS } from '../../base/kernel/limits.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';
import {
  Guarded,
  Precondition,
  requireTag,
  type TagCondition,
  Tagged,
} from '../../platform/http/entity-tags.js';
import { JsonField } from '../../platform/http/field.decorators.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { Collection } from '../collections/collection.entity.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { collectionEvent } from '../collections/collection-event.js';
import { refuseRestricted } from '../collections/collection-rights.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { lockAccessed } from '../collections/locked-collection.js';
import { ShownParts } from '../collections/seen-fields.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';

const MAX_CHARTS = 50;

const CHARTS = {
  type: 'array' as const,
  items: { type: 'object' as const, additionalProperties: true },
  maxItems: MAX_CHARTS,
};
const EXAMPLE = [
  {
    title: 'Customers by country',
    type: 'bar',
    steps: [{ type: 'count', output_field: 'customers' }],
    group_by: 'country',
  },
];

class SaveChartsBody {
  @JsonField({
    description:
      'All charts of the collection; they replace the charts before. Stored unchanged, including the order of keys.',
    example: EXAMPLE,
    schema: CHARTS,
    expects: `a list of at most ${MAX_CHARTS} objects of at most ${MAX_RECORD_LEVELS} levels, without NUL`,
    check: value =>
      Array.isArray(value) &&
      value.length <= MAX_CHARTS &&
      value.every(each => isJsonObject(each) && isStorable(each, MAX_RECORD_LEVELS)),
  })
  charts: object[];
}

class ChartsView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ ...CHARTS, example: EXAMPLE }) charts: object[];
}

class SavedChartsView extends ChartsView {
  @ApiProperty({ example: true }) saved: true;
}

/** Stores chart definitions of collections. Only consoles interpret their content. */
@Injectable()
class Charts {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  get(access: Access): JsonText {
    const { id, charts } = access.collection;
    const shown = new ShownParts(access);
    return answer({ collection_id: id, charts: charts.filter(chart => shown.definition(chart)) });
  }

  /**
   * Replaces all charts. Throws 412 when the entity tag of the charts before does not satisfy the condition. The audit event
   * has only their number, because their content may be large.
   */
  async save(
    call: Call,
    access: Access,
    { charts }: SaveChartsBody,
    condition: TagCondition | undefined,
  ): Promise<JsonText> {
    const { id } = access.collection;
    refuseRestricted(access, 'save charts');
    await this.transactions.run(async manager => {
      const before = await lockAccessed(manager, access);
      requireTag(condition, chartsTag(before));
      const updatedAt = this.clock.now();
      await manager.update(Collection, { id }, { charts, version: before.version + 1, updatedAt });
      const changes = { before: { charts: before.charts.length }, after: { charts: charts.length } };
      const event = collectionEvent('collections.charts.saved', before, { changes });
      await this.audit.record(manager, call, before.orgId, event);
    });
    return answer({ saved: true, collection_id: id, charts });
  }
}

function answer(view: ChartsView | SavedChartsView): JsonText {
  return new JsonText(JSON.stringify(view), chartsTag(view));
}

/** Opaque part of the entity tag of charts: a digest, because the collection changes in other ways too. */
function chartsTag({ charts }: { readonly charts: object[] }): string {
  return createHash('sha256').update(JSON.stringify(charts)).digest('base64url');
}

@ApiTags('Collections')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/charts')
class ChartsController {
  constructor(private readonly charts: Charts) {}

  @Get()
  @Tagged()
  @Requires({ collection: 'read', metadata: true })
  @ApiOperation({ summary: 'Read the charts of a collection' })
  @ApiOkResponse({ type: ChartsView })
  getCharts(@Accessed() access: Access) {
    return this.charts.get(access);
  }

  @Put()
  @Guarded()
  @Requires({ collection: 'write' })
  @ApiOperation({ summary: 'Replace the charts of a collection' })
  @ApiOkResponse({ type: SavedChartsView })
  saveCharts(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Body() body: SaveChartsBody,
    @Precondition() condition: TagCondition | undefined,
  ) {
    return this.charts.save(call, access, body, condition);
  }
}

@Module({ imports: [CollectionsModule], controllers: [ChartsController], providers: [Charts] })
export class ChartsModule {}
