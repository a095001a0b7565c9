import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { CLIENT_PAGES_KEY } from '../listed-clients.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { ClientForm } from './client-form.tsx';
import { CLIENT_KINDS } from './client-kinds.ts';
import type { KindName } from './kind-names.ts';
import { makeClient } from './make-client.ts';
import { useClientForm } from './use-client-form.ts';

export function NewClientForm({ kind }: { kind: KindName }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const { members: start, first } = CLIENT_KINDS[kind];
  const open = (id: string) => navigate({ to: '/oauth/clients/$id', params: { id } });
  const form = useClientForm({
    of: `new ${kind}`,
    id: undefined,
    start,
    save: async (members) => {
      const { client, secret } = await makeClient(members, members.client_id);
      form.finish();
      toast('Created');
      await queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
      if (secret === undefined) await open(client.client_id);
      else setCreated({ id: client.client_id, secret });
    },
  });
  return (
    <>
      <ClientForm form={form} label="New client" first={first} unsaved="Not created">
        <Group justify="flex-end" gap="xs">
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/oauth/clients" preload={false} />}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Create
          </Button>
        </Group>
      </ClientForm>
      {created !== undefined && (
        <SecretDialog clientId={created.id} secret={created.secret} onStored={() => void open(created.id)} />
      )}
    </>
  );
}
