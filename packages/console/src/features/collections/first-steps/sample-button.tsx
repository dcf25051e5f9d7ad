import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { SAMPLE_COLUMNS, sampleRecords } from './sample-data.js';

/** Creates a collection with 200 invented orders and opens it. */
export function SampleButton() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const load = useMutation({
    mutationFn: loadSample,
    onSuccess: async id => {
      await cache.invalidateQueries({ queryKey: ['collections'] });
      await navigate({ to: '/collections/$collection', params: { collection: id } });
    },
  });
  return (
    <>
      <Button look="primary" disabled={load.isPending} onClick={() => load.mutate()}>
        {load.isPending ? t('collections.sampleLoading') : t('collections.sampleLoad')}
      </Button>
      {load.error !== null && <ErrorBox error={load.error} />}
    </>
  );
}

async function loadSample(): Promise<string> {
  const { collection_id: id } = await api.collections.createCollection({
    name: 'sample-orders',
    description: t('collections.sampleDescription'),
    properties: SAMPLE_COLUMNS,
  });
  await client.collection(id).bulk(sampleRecords(Date.now()));
  return id;
}
