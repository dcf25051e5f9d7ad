// Runs before the first paint: a stored theme or language wins over the browser's.
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    const language = localStorage.getItem('language') ?? navigator.language.slice(0, 2);
    root.lang = language === 'fr' ? 'fr' : 'en';
  } catch {
    // Without storage the theme is the browser's.
  }
})();
