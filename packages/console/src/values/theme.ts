export type Theme = 'system' | 'light' | 'dark';

/** The themes to choose from, with the names of their texts. */
export const THEMES = [
  { value: 'system', label: 'common.themeSystem' },
  { value: 'light', label: 'common.themeLight' },
  { value: 'dark', label: 'common.themeDark' },
] as const;

/** The chosen theme. public/theme.js applies it before anything is drawn. */
export function theme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem('theme', chosen);
    document.documentElement.dataset.theme = chosen;
  }
}
