import { TextField } from '../../http/field.decorators.js';

export class AddOrgDomainBody {
  @TextField({
    max: 253,
    description: 'An e-mail domain of at least two labels. Letters beyond ASCII and capitals are converted.',
    example: 'acme.example',
  })
  domain: string;
}
