import type { CollectionInfo } from '../../../api/collection-query.js';

/** Name, description and settings as the form has them. */
export interface Details {
  readonly name: string;
  readonly description: string;
  readonly maxRecords: string;
  readonly ttlDays: string;
  readonly historyDays: string;
}

type Saved = Pick<CollectionInfo, 'name' | 'description' | 'settings'>;

export function detailsOf({ name, description, settings }: Saved): Details {
  return {
    name,
    description: description ?? '',
    maxRecords: String(settings.max_records),
    ttlDays: String(settings.ttl_days),
    historyDays: String(settings.history_days),
  };
}

/** What differs, in the form that updateCollection takes; undefined if nothing does. */
export function changedDetails(saved: Saved, details: Details) {
  const before = detailsOf(saved);
  const { name, maxRecords, ttlDays, historyDays } = details;
  const description = details.description.trim();
  const settings = {
    ...(maxRecords !== before.maxRecords && { max_records: Number(maxRecords) }),
    ...(ttlDays !== before.ttlDays && { ttl_days: Number(ttlDays) }),
    ...(historyDays !== before.historyDays && { history_days: Number(historyDays) }),
  };
  const changed = {
    ...(name !== before.name && { name }),
    ...(description !== before.description && { description: description === '' ? null : description }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return Object.keys(changed).length > 0 ? changed : undefined;
}
