import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, client } from '../../../api/client.js';
import { collectionRoute } from '../../../api/collection-route.js';
import { refreshCollection, refreshSoon } from '../use-schema.js';
import { rewriteTexts, type WantedColumn } from './rewrite-texts.js';

/** `check` asks the service whether every value fits and how many move; `save` changes the column. */
export function useColumnChange(collectionId: string) {
  const { collection } = collectionRoute.useParams();
  const queries = useQueryClient();
  const send = ({ name, type, nullable }: WantedColumn, isCheck: boolean) =>
    api.schema.updateSchema({
      collection_id: collectionId,
      properties: { [name]: { type, nullable } },
      dry_run: isCheck,
    });
  const check = useMutation({ mutationFn: (column: WantedColumn) => send(column, true) });
  const save = useMutation({
    mutationFn: (column: WantedColumn) => {
      refreshSoon(queries, collection);
      return send(column, false);
    },
    onSettled: () => refreshCollection(queries, collection),
  });
  /** Rewrites texts as people write them, so that the service can convert them, and changes the column. */
  const rewrite = useMutation({
    mutationFn: async (column: WantedColumn) => {
      await rewriteTexts(client.collection(collectionId), column);
      return save.mutateAsync(column);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['record', collectionId] }),
  });
  return { check, save, rewrite };
}
