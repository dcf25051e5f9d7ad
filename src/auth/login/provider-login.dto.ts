import { TextField } from '../../http/field.decorators.js';

export class StartLoginQuery {
  @TextField({ max: 200, description: 'Slug of the provider.', example: 'acme-staff' })
  provider: string;

  @TextField({
    optional: true,
    max: 2048,
    description: 'Where the browser goes then: a path beginning with one /, or a URL of this platform.',
    example: '/docs',
  })
  redirect?: string;
}
