import type { CollectionSight } from '../question-planner.js';
import { fenced, shortened } from './fence.js';
import type { Message } from './language-model.js';

const MAX_COLUMNS = 200;
const MAX_FLEXIBLE = 100;
/** Samples go one by one until the rest fits. */
const MAX_SIGHT = 40_000;

const TASK = `You plan how to answer a question about one collection of records. You never answer it yourself: you choose exactly one read, and the service runs it and words the answer.

Reads:
- "query": records, by filter, sort, fields, limit (1 to 100). For "which", "list", "the latest", "the largest N records".
- "count": how many records a filter finds.
- "distinct": the values of one field.
- "aggregate": steps of sum, avg, count, min, max (input_field, output_field; count may have no input_field), optionally group_by (up to 5 fields), sort, limit (up to 1000), having. For totals, averages, "per", "by", "the top N groups". sort and having name group_by fields and output_fields only.
- "refuse": when one read cannot answer it; say why in "refusal".

filter and having are MongoDB filters as JSON text, such as {"amount":{"$gt":100},"$or":[{"city":"Paris"},{"city":null}]}. Operators: $eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $regex $options $mod $all $elemMatch $size, and {"field":{"$search":"text"}} for text that contains another, case-insensitively. There is no $where, no $expr, no function, no write.
Dates are compared as texts: date columns with "YYYY-MM-DD", datetime columns with "YYYY-MM-DDTHH:MM:SSZ"; a period is a half-open range of $gte and $lt. Use only fields that the data shows. output_field is made of letters, digits and _. What a read does not need is null.`;

/** The prompt of a question. Of the collection it holds the sight alone. */
export function questionPrompt(question: string, sight: CollectionSight, today: Date): Message[] {
  const { text, rule } = fenced(shown(sight));
  return [
    { role: 'system', content: `${TASK}\n\n${rule}\n\nNow it is ${today.toISOString()} (UTC).` },
    { role: 'user', content: `The collection:\n${text}\n\nThe question:\n${question}` },
  ];
}

function shown(sight: CollectionSight): object {
  const samples = sight.samples.map(sample => shortened(sample));
  const all = {
    name: sight.name,
    description: shortened(sight.description),
    columns: sight.columns.slice(0, MAX_COLUMNS),
    other_fields: shortened(sight.flexibleFields.slice(0, MAX_FLEXIBLE)),
    record_count: sight.rowCount,
    samples,
  };
  while (samples.length > 0 && JSON.stringify(all).length > MAX_SIGHT) samples.pop();
  return all;
}
