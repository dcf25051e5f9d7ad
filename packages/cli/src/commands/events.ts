import type { Schemas } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { listArgument, numberArgument, objectArgument } from '../arguments.js';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { printSecret } from './access.js';

const PAGE_SIZE = 100;

/** What happened to a collection, and who is told. */
export function addEventCommands(program: Command, run: Run): void {
  program
    .command('audit')
    .argument('<collection>', 'name or id')
    .description('print who did what with a collection, newest first')
    .option('--action <type>', 'for example collections.records.deleted')
    .option('--since <instant>', 'for example 2026-01-31T12:00:00Z')
    .option('--until <instant>', 'for example 2026-02-28T12:00:00Z')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), 20)
    .addHelpText(
      'after',
      examples('tcol audit books', 'tcol audit books --action collections.records.inserted -o ndjson'),
    )
    .action(run(audit));

  const webhooks = program.command('webhooks').description('tell other services about changes');
  webhooks
    .command('list', { isDefault: true })
    .argument('<collection>', 'name or id')
    .description('list the webhooks of a collection')
    .addHelpText('after', examples('tcol webhooks list books', 'tcol webhooks list books -o json'))
    .action(run(list));
  webhooks
    .command('create')
    .argument('<collection>', 'name or id')
    .argument('<url>', 'where the changes are sent')
    .description('create a webhook, and print the secret of its signatures once')
    .option('--events <types>', 'for example inserted,deleted; by default all')
    .option('--filter <filter>', 'only changes of matching records: JSON, @file or - for stdin')
    .addHelpText(
      'after',
      examples(
        'tcol webhooks create books https://example.com/hook',
        'tcol webhooks create books https://example.com/hook --events deleted',
      ),
    )
    .action(run(create));
  webhooks
    .command('test')
    .argument('<collection>', 'name or id')
    .argument('<webhook>', 'its id')
    .description('send a test message')
    .addHelpText(
      'after',
      examples('tcol webhooks test books "$WEBHOOK"', 'tcol webhooks test books "$WEBHOOK" -o json'),
    )
    .action(run(test));
  webhooks
    .command('deliveries')
    .argument('<collection>', 'name or id')
    .argument('<webhook>', 'its id')
    .description('list the messages of a webhook, newest first')
    .option('--status <status>', 'pending, delivered or dead')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), 20)
    .addHelpText(
      'after',
      examples(
        'tcol webhooks deliveries books "$WEBHOOK"',
        'tcol webhooks deliveries books "$WEBHOOK" --status dead',
      ),
    )
    .action(run(deliveries));
  webhooks
    .command('redeliver')
    .argument('<collection>', 'name or id')
    .argument('<webhook>', 'its id')
    .argument('<delivery>', 'id of the message')
    .description('send a message again')
    .addHelpText(
      'after',
      examples(
        'tcol webhooks redeliver books "$WEBHOOK" "$DELIVERY"',
        'tcol webhooks redeliver books "$WEBHOOK" "$DELIVERY" -o json',
      ),
    )
    .action(run(redeliver));
  webhooks
    .command('rotate')
    .argument('<collection>', 'name or id')
    .argument('<webhook>', 'its id')
    .description('replace the secret of the signatures, and print the new one once')
    .option(
      '--grace <seconds>',
      'messages are also signed with the old secret for so long',
      numberArgument('grace', 0),
    )
    .addHelpText(
      'after',
      examples(
        'tcol webhooks rotate books "$WEBHOOK" --yes',
        'tcol webhooks rotate books "$WEBHOOK" --grace 3600 --yes',
      ),
    )
    .action(run(rotate));
  webhooks
    .command('delete')
    .argument('<collection>', 'name or id')
    .argument('<webhook>', 'its id')
    .description('end a webhook')
    .addHelpText(
      'after',
      examples('tcol webhooks delete books "$WEBHOOK"', 'tcol webhooks delete books "$WEBHOOK" --yes'),
    )
    .action(run(remove));
}

interface Range {
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

async function audit(context: Context, { limit, ...range }: Range, collection_id: string): Promise<void> {
  const { action, since, until } = range;
  const pages = (cursor?: string, size = PAGE_SIZE) =>
    context.api.collections.listAuditEvents({ collection_id, action, since, until, cursor, limit: size });
  const events = await gathered(pages, limit);
  if (context.output.format !== 'table') return void (await context.output.rows(events as never));
  await context.output.rows(
    events.map(({ createdAt, type, actor, count, target, correlationId }) => ({
      ...{
        at: createdAt,
        action: type.replace(/^collections\./, ''),
        by: `${actor.type} ${actor.id}`,
        via: actor.via,
      },
      ...{ records: count, target: target.name ?? target.id, correlation_id: correlationId },
    })),
  );
}

interface PageOf<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** The first `limit` items of a list with cursors. */
async function gathered<T>(
  page: (cursor?: string, size?: number) => Promise<PageOf<T>>,
  limit: number,
): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next_cursor } = await page(cursor, Math.min(PAGE_SIZE, limit - found.length));
    found.push(...items);
    if (next_cursor === null || found.length >= limit) return found;
    cursor = next_cursor;
  }
}

async function list(context: Context, _options: object, collection_id: string): Promise<void> {
  const { items } = await context.api.webhooks.listWebhooks({ collection_id });
  await context.output.rows(
    items.map(({ id, url, events, status, failing_since }) => ({
      id,
      url,
      events: events.join(' '),
      status,
      failing_since,
    })),
  );
}

async function create(
  context: Context,
  { events, filter }: { readonly events?: string; readonly filter?: string },
  collection_id: string,
  url: string,
): Promise<void> {
  const created = await context.api.webhooks.createWebhook({
    ...{ collection_id, url },
    ...(events !== undefined && { events: listArgument(events) }),
    ...(filter !== undefined && { filter: await objectArgument(context, 'filter', filter) }),
  });
  context.say(`Created the webhook ${created.id}.`);
  await printSecret(context, created.secret, 'secret');
}

async function test(
  context: Context,
  _options: object,
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  const sent = await context.api.webhooks.testWebhook({ collection_id, webhook_id });
  await context.output.value(sent);
}

async function deliveries(
  context: Context,
  { status, limit }: { readonly status?: string; readonly limit: number },
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  const pages = (cursor?: string, size = PAGE_SIZE) =>
    context.api.webhooks.listDeliveries({
      collection_id,
      webhook_id,
      status: status as never,
      cursor,
      limit: size,
    });
  const found: Schemas['DeliveryView'][] = await gathered(pages, limit);
  await context.output.rows(found as never);
}

async function redeliver(
  context: Context,
  _options: object,
  collection_id: string,
  webhook_id: string,
  delivery_id: string,
): Promise<void> {
  const input = { collection_id, webhook_id, delivery_id };
  await context.output.value(await context.api.webhooks.redeliverDelivery(input));
}

async function rotate(
  context: Context,
  { grace }: { readonly grace?: number },
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  await context.confirm(`Replace the secret of the webhook ${webhook_id}?`);
  const input = { collection_id, webhook_id, grace_seconds: grace };
  const { secret } = await context.api.webhooks.rotateWebhookSecret(input);
  await printSecret(context, secret, 'secret');
}

async function remove(
  context: Context,
  _options: object,
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  await context.confirm(`End the webhook ${webhook_id} of ${collection_id}?`);
  await context.api.webhooks.deleteWebhook({ collection_id, webhook_id });
  context.say(`Ended the webhook ${webhook_id}.`);
}
