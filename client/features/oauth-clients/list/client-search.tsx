import { getRouteApi } from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { SearchField, SearchForm } from '../../../ui/form/search-form.tsx';

const route = getRouteApi('/signed-in/oauth/clients');

/** Nothing is looked up while something is typed: whole names only are found. */
export const ClientSearch = memo(function ClientSearch() {
  const searched = route.useSearch({ select: ({ name, owner }) => ({ name: name ?? '', owner: owner ?? '' }) });
  const navigate = route.useNavigate();
  const [name, setName] = useState(searched.name);
  const [owner, setOwner] = useState(searched.owner);
  useEffect(() => setName(searched.name), [searched.name]);
  useEffect(() => setOwner(searched.owner), [searched.owner]);

  const look = (wanted: { name: string; owner: string }): void =>
    void navigate({
      search: ({ page_size }) => ({
        name: wanted.name.trim() || undefined,
        owner: wanted.owner.trim() || undefined,
        page_size,
      }),
    });
  const clear = (member: 'name' | 'owner'): void => {
    if (member === 'name') setName('');
    else setOwner('');
    if (searched[member] !== '') look({ ...searched, [member]: '' });
  };

  return (
    <SearchForm
      maw="46rem"
      onSubmit={() => look({ name, owner })}
      explanation="Enter searches. The whole name or owner must match, upper and lower case too."
    >
      {(explanation) => (
        <>
          <SearchField
            flex="2 1 12rem"
            label="Name"
            cleared="the name"
            aria-describedby={explanation}
            autoCapitalize="sentences"
            value={name}
            onChange={setName}
            onClear={() => clear('name')}
          />
          <SearchField
            flex="1 1 8rem"
            label="Owner"
            cleared="the owner"
            aria-describedby={explanation}
            leftSection={null}
            value={owner}
            onChange={setOwner}
            onClear={() => clear('owner')}
          />
        </>
      )}
    </SearchForm>
  );
});
