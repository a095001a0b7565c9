import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonSchema } from '../../../../shared/json.ts';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { createIdentity } from '../../../api/identities-record.ts';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { IdentityForm } from './identity-form.tsx';
import { useIdentityForm } from './use-identity-form.ts';

export function NewIdentityForm({ schemaId, schema }: { schemaId: string; schema: JsonSchema | undefined }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useIdentityForm({
    of: `new ${schemaId}`,
    start: null,
    schema,
    readSchemaAgain: async () =>
      (await queryClient.fetchQuery({ ...identitySchemasQuery, staleTime: 0 })).schemas.find(
        ({ id }) => id === schemaId,
      )?.schema,
    save: async ({ traits, metadata_public, metadata_admin, external_id }) => {
      const created = await createIdentity({
        ...(schemaId === '' ? {} : { schema_id: schemaId }),
        traits,
        ...(metadata_public === null ? {} : { metadata_public }),
        ...(metadata_admin === null ? {} : { metadata_admin }),
        ...(external_id === undefined ? {} : { external_id }),
      });
      form.finish();
      toast('Created');
      await identitiesChanged(queryClient);
      await navigate({ to: '/identities/$id', params: { id: created.id } });
    },
  });
  return (
    <IdentityForm form={form} label="New identity" unsaved="Not created">
      <Group justify="flex-end" gap="xs">
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/identities" preload={false} />}>
          Cancel
        </Button>
        <Button type="submit" loading={form.pending}>
          Create
        </Button>
      </Group>
    </IdentityForm>
  );
}
