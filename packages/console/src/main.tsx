import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.js';
import { router } from './app/router.js';
import { reloadAfterUpgrade } from './app/upgrade.js';
import { loadLanguage } from './i18n/language.js';
import './ui/styles/tokens.css';
import './ui/styles/base.css';

reloadAfterUpgrade(window, sessionStorage, () => location.reload());
await loadLanguage();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    {/* The policy of the page refuses the <style> elements that Base UI would add; ui/base.css has their rules. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
