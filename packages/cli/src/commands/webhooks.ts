import type { Command } from 'commander';
import { listArgument, numberArgument, objectArgument } from '../arguments.js';
import { COLLECTION, cursorPages, examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { printSecret } from './keys.js';

const WEBHOOK = ['<webhook>', 'its id'] as const;

/** Who is told about changes. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhooks = program.command('webhooks').description('tell other services about changes');
  webhooks
    .command('list', { isDefault: true })
    .argument(...COLLECTION)
    .description('list the webhooks of a collection')
    .addHelpText(...examples('tcol webhooks list books', 'tcol webhooks list books -o json'))
    .action(run(list));
  webhooks
    .command('create')
    .argument(...COLLECTION)
    .argument('<url>', 'where the changes are sent')
    .description('create a webhook, and print the secret of its signatures once')
    .option('--events <types>', 'for example inserted,deleted; by default all')
    .option('--filter <filter>', 'only changes of matching records: JSON, @file or - for stdin')
    .addHelpText(
      ...examples(
        'tcol webhooks create books https://example.com/hook',
        'tcol webhooks create books https://example.com/hook --events deleted',
      ),
    )
    .action(run(create));
  webhooks
    .command('test')
    .argument(...COLLECTION)
    .argument(...WEBHOOK)
    .description('send a test message')
    .addHelpText(
      ...examples('tcol webhooks test books "$WEBHOOK"', 'tcol webhooks test books "$WEBHOOK" -o json'),
    )
    .action(run(test));
  webhooks
    .command('deliveries')
    .argument(...COLLECTION)
    .argument(...WEBHOOK)
    .description('list the messages of a webhook, newest first')
    .option('--status <status>', 'pending, delivered or dead')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), 20)
    .addHelpText(
      ...examples(
        'tcol webhooks deliveries books "$WEBHOOK"',
        'tcol webhooks deliveries books "$WEBHOOK" --status dead',
      ),
    )
    .action(run(deliveries));
  webhooks
    .command('redeliver')
    .argument(...COLLECTION)
    .argument(...WEBHOOK)
    .argument('<delivery>', 'id of the message')
    .description('send a message again')
    .addHelpText(
      ...examples(
        'tcol webhooks redeliver books "$WEBHOOK" "$DELIVERY"',
        'tcol webhooks redeliver books "$WEBHOOK" "$DELIVERY" -o json',
      ),
    )
    .action(run(redeliver));
  webhooks
    .command('rotate')
    .argument(...COLLECTION)
    .argument(...WEBHOOK)
    .description('replace the secret of the signatures, and print the new one once')
    .option('--grace <seconds>', 'messages carry both signatures for so long', numberArgument('grace', 0))
    .addHelpText(
      ...examples(
        'tcol webhooks rotate books "$WEBHOOK" --yes',
        'tcol webhooks rotate books "$WEBHOOK" --grace 3600 --yes',
      ),
    )
    .action(run(rotate));
  webhooks
    .command('delete')
    .argument(...COLLECTION)
    .argument(...WEBHOOK)
    .description('end a webhook')
    .addHelpText(
      ...examples('tcol webhooks delete books "$WEBHOOK"', 'tcol webhooks delete books "$OTHER" --yes'),
    )
    .action(run(remove));
}

async function list({ api, output }: Context, _options: object, collection_id: string): Promise<void> {
  const { items } = await api.webhooks.listWebhooks({ collection_id });
  if (output.format !== 'table') return void (await output.rows(items));
  await output.rows(
    items.map(({ id, url, events, status, failing_since }) => ({
      ...{ id, url, events: events.join(' '), status, failing_since },
    })),
  );
}

interface CreateFlags {
  readonly events?: string;
  readonly filter?: string;
}

async function create(
  context: Context,
  { events, filter }: CreateFlags,
  collection_id: string,
  url: string,
): Promise<void> {
  const { id, secret } = await context.api.webhooks.createWebhook({
    ...{ collection_id, url },
    ...(events !== undefined && { events: listArgument(events) }),
    ...(filter !== undefined && { filter: await objectArgument(context, 'filter', filter) }),
  });
  context.say(`Created the webhook ${id}.`);
  await printSecret(context, secret, 'secret');
}

async function test(
  { api, output }: Context,
  _options: object,
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  await output.value(await api.webhooks.testWebhook({ collection_id, webhook_id }));
}

async function deliveries(
  { api, output }: Context,
  { status, limit }: { readonly status?: string; readonly limit: number },
  collection_id: string,
  webhook_id: string,
): Promise<void> {
  const wanted = { collection_id, webhook_id, status: status as never };
  const found = await cursorPages(limit, page => api.webhooks.listDeliveries({ ...wanted, ...page }));
  await output.rows(found);
}

async function redeliver(
  { api, output }: Context,
  _options: object,
  collection_id: string,
  webhook_id: string,
  delivery_id: string,
): Promise<void> {
  await output.value(await api.webhooks.redeliverDelivery({ collection_id, webhook_id, delivery_id }));
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
