import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { SchemaView, UpdateSchemaBody } from '../../collections/schema/schema.dto.js';
import { SchemaChanges } from '../../collections/schema/schema-changes.service.js';
import type { Call } from '../../kernel/call.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { counted, type ToolAnswer } from '../tool-answer.js';

class UpdateSchemaArguments extends UpdateSchemaBody {
  @CollectionIdField()
  collection_id: string;
}

/** No token of a dry run is asked for: a change that would lose a value is refused, so each can be taken back. */
@Injectable()
export class DataUpdateSchemaTool extends CollectionTool<UpdateSchemaArguments> {
  readonly face: ToolFace = {
    name: 'data_update_schema',
    title: 'Change the columns',
    description:
      'Adds columns to a collection, changes their types or whether they may be null; columns that are not named stay. ' +
      'A new column takes over the values stored under its name. A change that a stored value does not fit is refused, ' +
      'and names the first of them. Call with dry_run: true first: it tells what would change, and does nothing.',
    idempotent: true,
  };
  readonly arguments = UpdateSchemaArguments;
  readonly answer = SchemaView;
  readonly right = 'manage';

  constructor(
    accesses: CollectionAccess,
    private readonly schemas: SchemaChanges,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpdateSchemaArguments): Promise<ToolAnswer> {
    const data = await this.schemas.apply(call, access, args);
    const summary =
      data.changes === undefined
        ? 'The columns are as asked for.'
        : `${counted(data.changes.length, 'column')} would change; nothing was changed.`;
    return { summary, data };
  }
}
