import { Alert, Anchor, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { SEARCH_IDS_MAX } from '../../../../shared/identities.ts';
import { digits } from '../../../format/counted.ts';
import type { IdentitiesSearch } from '../identity-question.ts';

/**
 * Who is exported, if not everybody.
 * @param words the filters
 * @param total how many match; undefined while that is not known
 */
export function ExportScope(props: { search: IdentitiesSearch; words: string; total: number | undefined }) {
  const { search, words, total } = props;
  return (
    <Paper withBorder p="md" mb="md">
      <Stack gap="xs">
        <Text size="sm">
          {total === undefined ? 'All that match' : `The ${digits(total)} that match`}: <strong>{words}</strong>
        </Text>
        {isTooMany(total) && (
          <Alert role="note" color="orange">
            A file of those that match can have {digits(SEARCH_IDS_MAX)} identities. Narrow the search, or export all
            identities.
          </Alert>
        )}
        <Group gap="md">
          <Anchor component={Link} size="sm" to="/identities" search={search as never} preload={false}>
            Change the search
          </Anchor>
          <Anchor component={Link} size="sm" to="/identities/export" preload={false}>
            Export all identities instead
          </Anchor>
        </Group>
      </Stack>
    </Paper>
  );
}

export const isTooMany = (total: number | undefined): boolean => total !== undefined && total > SEARCH_IDS_MAX;
