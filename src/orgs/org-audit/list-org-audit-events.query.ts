import { ListAuditEventsQuery } from '../../audit/list-audit-events.query.js';
import { TextField } from '../../http/field.decorators.js';

export class ListOrgAuditEventsQuery extends ListAuditEventsQuery {
  @TextField({
    optional: true,
    max: 100,
    description:
      'Only events about this: `orgs.members` stands for every type that begins with it and a dot.',
    example: 'orgs',
  })
  category?: string;

  @TextField({
    optional: true,
    max: 100,
    description: 'Only what the person, key, agent or service account of this id did.',
  })
  actor?: string;
}
