import { AskCollectionTool } from './ask-collection.tool.js';
import { DataAggregateTool } from './data-aggregate.tool.js';
import { DataCountTool } from './data-count.tool.js';
import { DataCreateCollectionTool } from './data-create-collection.tool.js';
import { DataDeleteTool } from './data-delete.tool.js';
import { DataDiscoverTool } from './data-discover.tool.js';
import { DataDistinctTool } from './data-distinct.tool.js';
import { DataGetTool } from './data-get.tool.js';
import { DataInsertTool } from './data-insert.tool.js';
import { DataQueryTool } from './data-query.tool.js';
import { DataUpdateTool } from './data-update.tool.js';
import { DataUpdateSchemaTool } from './data-update-schema.tool.js';
import { DataUpsertTool } from './data-upsert.tool.js';
import { SuggestSchemaTool } from './suggest-schema.tool.js';

/** Every tool, in the order in which they are listed. */
export const TOOLS = [
  DataDiscoverTool,
  DataCreateCollectionTool,
  DataUpdateSchemaTool,
  DataInsertTool,
  DataQueryTool,
  DataGetTool,
  DataUpdateTool,
  DataUpsertTool,
  DataDeleteTool,
  DataCountTool,
  DataDistinctTool,
  DataAggregateTool,
  SuggestSchemaTool,
  AskCollectionTool,
] as const;
