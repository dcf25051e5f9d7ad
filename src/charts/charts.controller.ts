import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accessed, CollectionParam } from '../collections/accessed.decorator.js';
import type { Access } from '../collections/collection-access.js';
import { Calling } from '../http/call.decorator.js';
import { Requires } from '../http/requires.decorator.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import type { Call } from '../kernel/call.js';
import { ChartsView, SaveChartsBody, SavedChartsView } from './charts.dto.js';
import { Charts } from './charts.service.js';

@ApiTags('Collections')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/charts')
export class ChartsController {
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
